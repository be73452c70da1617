/** The one JSON text of a document, and the key that is made of it. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** What a document is made of. All numbers are whole. */
export type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };

/** Sorted keys, no spaces, no escapes but those that JSON needs. */
export function canonical(document: Json): string {
  if (Array.isArray(document)) return `[${document.map(canonical).join(",")}]`;
  if (typeof document !== "object") return JSON.stringify(document);
  const parts = Object.entries(document)
    .sort(([a], [b]) => (a < b ? -1 : 1)) // names are ASCII: the order of code units is theirs
    .map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`);
  return `{${parts.join(",")}}`;
}

/** SHA-256 of the canonical text, in hexadecimal. */
export function keyOf(document: Json): string {
  return bytesToHex(sha256(new TextEncoder().encode(canonical(document))));
}
