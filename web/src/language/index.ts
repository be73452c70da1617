/** The languages of the pages, and which one to use. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import { en, type Words } from "./en";
import { ja } from "./ja";

export type { Words } from "./en";

const LANGUAGES = { en, ja } as const;
export type Language = keyof typeof LANGUAGES;

/** Each language by its own name. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", ja: "日本語" };

/** All that the pages say in a language. */
export function wordsOf(language: Language): Words {
  return LANGUAGES[language];
}

/** The one that was chosen here before, else the first of the browser's that we speak. */
export function preferred(chosen: string | null, wanted: readonly string[]): Language {
  const known = [chosen ?? "", ...wanted].map((tag) => tag.toLowerCase().split("-")[0]);
  return known.find((tag): tag is Language => tag === "en" || tag === "ja") ?? "en";
}

const Spoken = createContext<Words>(en);
/** Gives its children their words. */
export const SpeakIn = Spoken.Provider;

/** What to say here. */
export function useWords(): Words {
  return useContext(Spoken);
}

/** A whole number as the language writes it. */
export function whole(words: Words, number: number): string {
  return new Intl.NumberFormat(words.locale).format(number);
}

/** A moment (Unix time) as the language writes it. */
export function moment(words: Words, seconds: number): string {
  const format = new Intl.DateTimeFormat(words.locale, { dateStyle: "medium", timeStyle: "short" });
  return format.format(new Date(seconds * 1000));
}
