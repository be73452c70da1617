/** The administration, which is fetched when somebody who may use it has signed in. */

import { useEffect, useState } from "preact/hooks";

import { reasonText } from "../../page/reason";
import { useWords } from "../language";
import type { ManageProps, ToolsProps } from "./interface";

type Module = typeof import("./index");

/** Buttons above the list: a new collection, tokens. */
export function Tools(props: ToolsProps) {
  const { module, problem } = useModule();
  if (!module) return <Missing problem={problem} />;
  return <module.Tools {...props} />;
}

/** All that can be changed about one collection. */
export function Manage(props: ManageProps) {
  const { module } = useModule();
  return module && <module.Manage {...props} />;
}

function useModule(): { readonly module: Module | null; readonly problem: unknown } {
  const [module, setModule] = useState<Module | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    import("./index").then(setModule, setProblem);
  }, []);
  return { module, problem };
}

function Missing({ problem }: { readonly problem: unknown }) {
  const words = useWords();
  if (problem === null) return null;
  return (
    <p class="notice" role="alert">
      {words.failed(reasonText(words, problem))}
    </p>
  );
}
