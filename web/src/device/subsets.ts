/** How words become uniform subsets: specified to the bit in docs/reference/randomness.md. */

import { below, wordsOf } from "./coins";
import { getBit, ones, setBit } from "./packed";
import type { Words } from "./words";

const PLANES = 5; // bits of the coins that a subset begins with; what they miss is mended
const ALL = (1n << 64n) - 1n;

/** A uniform subset of `items` per size, of so many of them, as bits in rows of whole words. */
export function subsets(
  words: Words,
  items: number,
  sizes: readonly number[],
): readonly BigUint64Array[] {
  const rows = coinsNear(words, items, sizes);
  const off = sizes.map((size, row) => size - ones(rows[row] as BigUint64Array));
  for (;;) {
    const need = off.map(Math.abs);
    const drawn = below(
      words,
      items,
      need.reduce((sum, count) => sum + count, 0),
    );
    if (drawn.length === 0) return rows;
    let at = 0;
    rows.forEach((row, i) => {
      const isMissing = (off[i] as number) > 0;
      for (let left = need[i] as number; left > 0; left--) {
        const item = drawn[at++] as number;
        if (getBit(row, item) === isMissing) continue; // it can't help
        setBit(row, item, isMissing);
        off[i] = (off[i] as number) + (isMissing ? -1 : 1);
      }
    });
  }
}

/** Rows of coins, of a chance that is a multiple of 2^-5 near each row's share of the items. */
function coinsNear(words: Words, items: number, sizes: readonly number[]): BigUint64Array[] {
  const width = wordsOf(items);
  const planes = Array.from({ length: PLANES }, () => words.take(sizes.length * width));
  const last = ALL >> BigInt(64 * width - items);
  return sizes.map((size, row) => {
    const edge = Math.floor((size * 2 ** PLANES) / items);
    return BigUint64Array.from({ length: width }, (_, i) => {
      let [below, undecided] = [0n, ALL];
      planes.forEach((plane, j) => {
        const word = plane[row * width + i] as bigint;
        const isOne = ((edge >> (PLANES - 1 - j)) & 1) === 1;
        if (isOne) below |= undecided & ~word & ALL;
        undecided &= isOne ? word : ~word & ALL;
      });
      if (edge === 2 ** PLANES) below = ALL;
      return i === width - 1 ? below & last : below;
    });
  });
}
