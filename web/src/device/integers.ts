/** Whole numbers: their bounds, division, and their bytes. */

import { Refused } from "./errors";

/** A number as it is, if it is whole, at least as large and exact. */
export function wholeFrom(least: number, value: unknown, what: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new Refused(`${what}s are whole numbers from ${least} to 2^53 − 1`);
}

/** a / b, rounded down, for whole a ≥ 0 and b > 0: exact, as a − a mod b is a multiple of b. */
export function quotient(a: number, b: number): number {
  return (a - (a % b)) / b;
}

/** a / b, rounded up, for whole a ≥ 0 and b > 0. */
export function quotientUp(a: number, b: number): number {
  return quotient(a + b - 1, b);
}

/** The fewest bytes of 1, 2 and 4 that hold every number up to `most`. */
export function widthOf(most: number): 1 | 2 | 4 {
  return most < 2 ** 8 ? 1 : most < 2 ** 16 ? 2 : 4;
}

/** Write `value` in `width` bytes, the lowest first. */
export function putNumber(bytes: Uint8Array, at: number, width: number, value: number): void {
  let rest = value;
  for (let i = 0; i < width; i++) {
    bytes[at + i] = rest % 256;
    rest = quotient(rest, 256);
  }
}

/** Read a number of `width` bytes, the lowest first. */
export function getNumber(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = width - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] as number);
  return value;
}

/** Write 64-bit words, each with its lowest byte first. */
export function putWords(bytes: Uint8Array, at: number, words: BigUint64Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  words.forEach((word, i) => view.setBigUint64(at + 8 * i, word, true));
}

/** Read `count` 64-bit words, each with its lowest byte first. */
export function getWords(bytes: Uint8Array, at: number, count: number): BigUint64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return BigUint64Array.from({ length: count }, (_, i) => view.getBigUint64(at + 8 * i, true));
}

/**
 * The people of each block of a batch, as [first, past the last], as even as can be.
 *
 * Part of the format: 2^18 at most are drawn together, of reports or of their words, of which
 * everybody sends `each`.
 */
export function blocks(people: number, each: number): [number, number][] {
  const count = quotientUp(people * each, 2 ** 18);
  return Array.from({ length: count }, (_, i) => [
    quotient(people * i, count),
    quotient(people * (i + 1), count),
  ]);
}
