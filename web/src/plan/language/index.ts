/** What the planner says, in one language at a time. */

import { useWords as useSpoken, type Language } from "../../language";
import type { PlanWords as Words } from "./en";

export type { PlanWords as Words } from "./en";

type Table = { readonly words: Words };

/** A file for each language, fetched by itself: nobody names them here. */
const FILES = import.meta.glob<Table>(["./*.ts", "!./index.ts"]);

export async function load(language: Language): Promise<Words> {
  return (await (FILES[`./${language}.ts`] as () => Promise<Table>)()).words;
}

/** What to say here. */
export function useWords(): Words {
  return useSpoken() as Words;
}
