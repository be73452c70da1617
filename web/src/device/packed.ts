/** Reports that are bits in 64-bit words. */

import { wordsOf } from "./coins";
import { InvalidReport } from "./errors";
import { getWords } from "./integers";

/** Set bit `place` of a row to 1 or 0. */
export function setBit(row: BigUint64Array, place: number, isOne: boolean): void {
  const word = place >>> 6;
  const bit = 1n << BigInt(place & 63);
  row[word] = isOne ? (row[word] as bigint) | bit : (row[word] as bigint) & ~bit;
}

/** Whether bit `place` of a row is 1. */
export function getBit(row: BigUint64Array, place: number): boolean {
  return (((row[place >>> 6] as bigint) >> BigInt(place & 63)) & 1n) === 1n;
}

/** How many bits of a row are 1. */
export function ones(row: BigUint64Array): number {
  let count = 0;
  for (const word of row) for (let left = word; left > 0n; left &= left - 1n) count++;
  return count;
}

/** The row that stands at `at`; one with a bit above `bits` is refused. */
export function readRow(record: Uint8Array, at: number, bits: number): BigUint64Array {
  const row = getWords(record, at, wordsOf(bits));
  const last = row[row.length - 1] as bigint;
  if (last >> BigInt(bits - 64 * (row.length - 1)) > 0n) {
    throw new InvalidReport(`the report has a 1 beyond its ${bits} bits`);
  }
  return row;
}

/** Refuse a record of another length. */
export function checkLength(record: Uint8Array, bytes: number): void {
  if (record.length !== bytes) {
    throw new InvalidReport(`a report has ${bytes} bytes, got ${record.length}`);
  }
}
