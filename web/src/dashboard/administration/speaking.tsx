/** The administration's words, for all that stands in it. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import { useWords } from "../language";
import { Spoken, load, type Words } from "./language";

/** Gives its children their words, once these are there. */
export function Speaking({ children }: { readonly children: ComponentChildren }) {
  const dashboard = useWords();
  const [words, setWords] = useState<Words | null>(null);
  useEffect(() => {
    // Without the network they don't come: it goes on in those that it has.
    load(dashboard).then(setWords, () => undefined);
  }, [dashboard]);
  return words && <Spoken.Provider value={words}>{children}</Spoken.Provider>;
}
