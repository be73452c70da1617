/** Why something didn't work, in the reader's language. */

import { Problem } from "../collector/problem";
import type { CommonWords } from "../language";
import { isolated } from "./strangers";

/** A refusal by its code; in the collector's own words where the code isn't known. */
export function reasonText(words: CommonWords, error: unknown): string {
  if (error instanceof Problem) {
    const known: Readonly<Record<string, string>> = words.problems;
    return (Object.hasOwn(known, error.code) && known[error.code]) || isolated(error.message);
  }
  if (error instanceof TypeError) return words.noAnswer; // of fetch, in the browser's language
  return error instanceof Error ? isolated(error.message) : "";
}
