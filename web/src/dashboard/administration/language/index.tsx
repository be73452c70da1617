/** What the administration says, beside the dashboard, in one language at a time. */

import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

import { useWords as useDashboardWords, type Words as DashboardWords } from "../../language";
import type { AdministrationWords } from "./en";

type Table = { readonly words: AdministrationWords };
export type Words = DashboardWords & AdministrationWords;

/** A file for each language, fetched by itself: nobody names them here. */
const FILES = import.meta.glob<Table>(["./*.ts"]);
const Spoken = createContext<Words | null>(null);

/** Gives its children their words, once these are there. */
export function Speaking({ children }: { readonly children: ComponentChildren }) {
  const dashboard = useDashboardWords();
  const { locale } = dashboard;
  const [own, setOwn] = useState<{ locale: string; words: AdministrationWords } | null>(null);
  useEffect(() => {
    // Without the network the words don't come: it goes on in those that it has.
    (FILES[`./${locale}.ts`] as () => Promise<Table>)().then(
      ({ words }) => setOwn({ locale, words }),
      () => undefined,
    );
  }, [locale]);
  if (!own) return null;
  const problems = { ...dashboard.problems, ...own.words.problems };
  return (
    <Spoken.Provider value={{ ...dashboard, ...own.words, problems }}>{children}</Spoken.Provider>
  );
}

/** What to say here. */
export function useWords(): Words {
  return useContext(Spoken) as Words;
}
