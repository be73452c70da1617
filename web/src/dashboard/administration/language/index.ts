/** What the administration says, beside the dashboard, in one language at a time. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import type { Words as DashboardWords } from "../../language";
import type { AdministrationWords } from "./en";

type Table = { readonly words: AdministrationWords };
export type Words = DashboardWords & AdministrationWords;

/** A file for each language, fetched by itself: nobody names them here. */
const FILES = import.meta.glob<Table>(["./*.ts", "!./index.ts"]);

/** What it says in a language, with all that the dashboard says. */
export async function load(dashboard: DashboardWords): Promise<Words> {
  const { words } = await (FILES[`./${dashboard.locale}.ts`] as () => Promise<Table>)();
  return { ...dashboard, ...words, problems: { ...dashboard.problems, ...words.problems } };
}

export const Spoken = createContext<Words | null>(null);

/** What to say here. */
export function useWords(): Words {
  return useContext(Spoken) as Words;
}
