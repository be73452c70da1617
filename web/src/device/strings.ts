/** Free text as an answer: its digest, and the bits that it sets in a Bloom filter. */

import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js";

import { InvalidAnswer } from "./errors";
import { getWords, putWords } from "./integers";

/** A text under a collection's key: all that the device still needs of it. */
export interface Digest {
  readonly seed: bigint;
  readonly step: bigint;
}

const LONGEST = 10_000; // bytes of UTF-8
const PREFIX = new TextEncoder().encode("sudare string 1\0");
const ALONE = /\p{Surrogate}/u; // half a character: the encoder would replace it in silence

/** Whether a text can be written in UTF-8 as it is. */
export function isWellFormed(text: string): boolean {
  return !ALONE.test(text);
}

/** The digest of a text. An error says neither the text nor its length. */
export function digest(key: string, text: unknown): Digest {
  if (typeof text !== "string" || !isWellFormed(text)) throw wrong();
  const encoded = new TextEncoder().encode(text.normalize("NFC"));
  if (encoded.length < 1 || encoded.length > LONGEST) throw wrong();
  const hash = sha256(concatBytes(PREFIX, hexToBytes(key), encoded));
  const [seed, step] = getWords(hash, 0, 2) as unknown as [bigint, bigint];
  return { seed, step: step | 1n };
}

function wrong(): InvalidAnswer {
  return new InvalidAnswer(
    `the answer is not a text of 1 to ${LONGEST} bytes (nothing was randomised)`,
  );
}

/** The 16 bytes of a digest. */
export function digestBytes({ seed, step }: Digest): Uint8Array {
  const bytes = new Uint8Array(16);
  putWords(bytes, 0, BigUint64Array.of(seed, step));
  return bytes;
}

const wrap = (x: bigint): bigint => BigInt.asUintN(64, x);

/** The bits that a text sets in a cohort's filter of `bits` bits, in the order of the hashes. */
export function positions(text: Digest, cohort: number, hashes: number, bits: number): number[] {
  let word = wrap(text.seed + BigInt(cohort + 1) * text.step);
  word = wrap((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n); // SplitMix64
  word = wrap((word ^ (word >> 27n)) * 0x94d049bb133111ebn);
  word ^= word >> 31n;
  const stride = (word >> 32n) | 1n;
  return Array.from({ length: hashes }, (_, j) =>
    Number(wrap(word + BigInt(j) * stride) % BigInt(bits)),
  );
}
