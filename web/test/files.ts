/** The files that the tests read, and the words that they draw. */

import { readFileSync } from "node:fs";

import { sha256 } from "@noble/hashes/sha2.js";

import { DerivedWords, type Words } from "../src/device/words";

/** A JSON file, by its path from the folder `web`. */
export function readJson<Form>(path: string): Form {
  return JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf-8")) as Form;
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The words of Python's `Seeded(seed)`. */
export function seeded(seed: number): Words {
  return new DerivedWords(sha256(utf8(`sudare seed ${seed}`)));
}

/** Words from hexadecimal numbers. */
export function script(numbers: readonly string[]): bigint[] {
  return numbers.map((number) => BigInt(`0x${number}`));
}
