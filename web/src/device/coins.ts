/**
 * How words become choices: coins of exact chance, and bounded integers.
 *
 * Specified to the bit in docs/reference/randomness.md. A chance is a whole number `edge`, of which
 * 2^53 make certainty: a coin is true if a uniform number of 53 bits is below it.
 */

import { quotientUp } from "./integers";
import type { Words } from "./words";

const COIN_BITS = 53;
/** The chance of what is certain. */
export const CERTAIN = 1n << 53n;

const TIE_BITS = 37n; // of a coin that its first 16 bits don't decide
const PLANES = 8; // bits of 64 packed coins looked at before asking who is still undecided
const GROUP = 32_768; // packed words decided together
const ALL = (1n << 64n) - 1n;

/** `count` uniform integers of 16 or 32 bits. */
export function lanes(words: Words, width: 16 | 32, count: number): Uint32Array {
  const each = width === 16 ? 4 : 2; // of a word
  const taken = words.take(quotientUp(count, each));
  const mask = (1n << BigInt(width)) - 1n;
  const drawn = new Uint32Array(count);
  let at = 0;
  for (const word of taken) {
    for (let shift = 0; shift < 64 && at < count; shift += width) {
      drawn[at++] = Number((word >> BigInt(shift)) & mask);
    }
  }
  return drawn;
}

/** `count` coins, true with chance exactly `edge` / 2^53. */
export function coins(words: Words, edge: bigint, count: number): boolean[] {
  if (edge === 0n || edge === CERTAIN) return new Array<boolean>(count).fill(edge > 0n);
  const high = Number(edge >> TIE_BITS);
  const low = edge & ((1n << TIE_BITS) - 1n);
  // All lanes are drawn before the first tie.
  return Array.from(lanes(words, 16, count), (lane) =>
    lane === high && low > 0n ? one(words) >> 27n < low : lane < high,
  );
}

/** `count` integers, uniform on 0 … bound − 1, for bounds up to 2^32 (Lemire 2019). */
export function below(words: Words, bound: number, count: number): Uint32Array {
  if (bound === 1) return new Uint32Array(count);
  const width = bound <= 4096 ? 16 : 32;
  const shift = BigInt(width);
  const wide = BigInt(bound);
  const unfair = (1n << shift) % wide;
  const mask = (1n << shift) - 1n;
  const drawn = lanes(words, width, count);
  let again = Array.from(drawn.keys());
  for (;;) {
    again = again.filter((i) => ((BigInt(drawn[i] as number) * wide) & mask) < unfair);
    if (again.length === 0) break;
    const fresh = lanes(words, width, again.length);
    again.forEach((place, i) => (drawn[place] = fresh[i] as number));
  }
  return drawn.map((lane) => Number((BigInt(lane) * wide) >> shift));
}

/** How many words hold so many bits. */
export function wordsOf(bits: number): number {
  return quotientUp(bits, 64);
}

/** `rows` × `bits` coins of one chance as bits; each row starts on a word of its own. */
export function packed(words: Words, edge: bigint, rows: number, bits: number): BigUint64Array {
  const width = wordsOf(bits);
  const size = rows * width;
  const tossed = new BigUint64Array(size);
  if (edge === CERTAIN) tossed.fill(ALL);
  else if (edge > 0n) {
    for (let start = 0; start < size; start += GROUP) {
      decide(words, edge, tossed.subarray(start, Math.min(start + GROUP, size)));
    }
  }
  const last = ALL >> BigInt(64 * width - bits);
  for (let at = width - 1; at < size; at += width) tossed[at] = (tossed[at] as bigint) & last;
  return tossed;
}

/** Decide 64 coins in each word: bit by bit for all of them, then one by one who is left. */
function decide(words: Words, edge: bigint, group: BigUint64Array): void {
  const planes = Math.min(PLANES, COIN_BITS - trailingZeros(edge));
  const undecided = new BigUint64Array(group.length).fill(ALL);
  for (let plane = 0; plane < planes; plane++) {
    const isOne = ((edge >> BigInt(COIN_BITS - 1 - plane)) & 1n) === 1n;
    words.take(group.length).forEach((word, i) => {
      const open = undecided[i] as bigint;
      if (isOne) group[i] = (group[i] as bigint) | (open & ~word);
      undecided[i] = isOne ? open & word : open & ~word;
    });
  }
  const left = BigInt(COIN_BITS - planes);
  const low = edge & ((1n << left) - 1n);
  if (low === 0n) return;
  undecided.forEach((open, i) => {
    for (let rest = open; rest > 0n; rest &= rest - 1n) {
      if (one(words) >> (64n - left) < low) group[i] = (group[i] as bigint) | (rest & -rest);
    }
  });
}

function trailingZeros(edge: bigint): number {
  let zeros = 0;
  while (((edge >> BigInt(zeros)) & 1n) === 0n) zeros++;
  return zeros;
}

function one(words: Words): bigint {
  return words.take(1)[0] as bigint;
}
