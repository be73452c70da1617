/** What an administrator may do that is about no collection, or a new one. */

import { useEffect, useMemo, useState } from "preact/hooks";

import { isolated } from "../../page/strangers";
import { planIn } from "../address";
import { Create } from "./create";
import type { ToolsProps } from "./interface";
import { useWords } from "./language";
import { settledBy } from "./planned";
import { Requests } from "./requests";
import { Tokens } from "./tokens";

export function ToolBar({ token, session, changed, tell }: ToolsProps) {
  const words = useWords();
  const [open, setOpen] = useState<"create" | "tokens" | null>(null);
  const [query, setQuery] = useState(() => planIn(location.hash));
  const settled = useMemo(() => (query === null ? null : settledBy(query)), [query]);
  const requests = new Requests(token);
  useEffect(() => {
    const turn = (): void => setQuery(planIn(location.hash));
    addEventListener("hashchange", turn);
    return () => removeEventListener("hashchange", turn);
  }, []);
  const shut = (): void => {
    setOpen(null);
    if (query === null) return;
    setQuery(null);
    if (planIn(location.hash) !== null) location.hash = "";
  };
  const created = async (key: string, name: string): Promise<void> => {
    await changed();
    location.hash = key;
    tell(words.created(isolated(name)));
    shut();
  };
  return (
    <div class="tools">
      <button type="button" class="main" onClick={() => setOpen("create")}>
        {words.newCollection}
      </button>
      <button type="button" onClick={() => setOpen("tokens")}>
        {words.tokens}
      </button>
      <a class="button" href="/plan">
        {words.plan}
      </a>
      {(open === "create" || settled) && (
        <Create
          key={query}
          requests={requests}
          settled={settled}
          close={shut}
          created={(key, name) => void created(key, name)}
        />
      )}
      {open === "tokens" && <Tokens requests={requests} session={session} close={shut} />}
    </div>
  );
}
