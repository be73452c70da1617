/** What the dashboard says, in one language at a time. */

import { useWords as useSpoken, type Language } from "../../language";
import type { DashboardWords as Words } from "./en";

export type { DashboardWords as Words } from "./en";

export async function load(language: Language): Promise<Words> {
  return (await (language === "ja" ? import("./ja") : import("./en"))).words;
}

/** What to say here. */
export function useWords(): Words {
  return useSpoken() as Words;
}
