/** What the survey says, in one language at a time. */

import { useWords as useSpoken, type Language } from "../../language";
import type { SurveyWords as Words } from "./en";

export type { SurveyWords as Words } from "./en";

export async function load(language: Language): Promise<Words> {
  return (await (language === "ja" ? import("./ja") : import("./en"))).words;
}

/** What to say here. */
export function useWords(): Words {
  return useSpoken() as Words;
}
