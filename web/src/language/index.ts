/** The languages of the pages, and which one to use. Each page has a table of its own for each. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import type { CommonWords } from "./en";

export type { CommonWords } from "./en";

/** Each language by its own name. */
export const LANGUAGE_NAMES = { en: "English", ja: "日本語" };

export type Language = keyof typeof LANGUAGE_NAMES;

/** What a page says in a language. */
export interface PageWords extends CommonWords {
  readonly subject: string;
  readonly problems: CommonWords["problems"] & Readonly<Record<string, string>>;
}

/** Fetches what a page says in a language: nobody waits for words that aren't shown. */
export type Load = (language: Language) => Promise<PageWords>;

/** The one that was chosen here before, else the first of the browser's that we speak. */
export function preferred(chosen: string | null, wanted: readonly string[]): Language {
  const tags = [chosen ?? "", ...wanted].map((tag) => tag.toLowerCase().split("-")[0] as Language);
  return tags.find((tag) => Object.hasOwn(LANGUAGE_NAMES, tag)) ?? "en";
}

const Spoken = createContext<CommonWords | null>(null);
/** Gives its children their words. */
export const SpeakIn = Spoken.Provider;

/** What to say here; a page's own `useWords` knows all of the page's. */
export function useWords(): CommonWords {
  return useContext(Spoken) as CommonWords;
}

/** A whole number as the language writes it. */
export function whole(words: CommonWords, number: number): string {
  return new Intl.NumberFormat(words.locale).format(number);
}

/** The reader's own kind of a language: 18 Nov in Britain, Nov 18 in America. */
export function localTag(locale: string, wanted: readonly string[]): string {
  return wanted.find((tag) => tag.toLowerCase().split("-")[0] === locale) ?? locale;
}

/** A moment (Unix time) as the reader writes it. */
export function moment(words: CommonWords, seconds: number): string {
  const tag = localTag(words.locale, navigator.languages);
  const format = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" });
  return format.format(new Date(seconds * 1000));
}
