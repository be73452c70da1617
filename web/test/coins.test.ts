/** Coins and bounded integers, by enumeration: no chance in these tests. */

import { describe, expect, test } from "vitest";

import { CERTAIN, below, coins, lanes, packed } from "../src/device/coins";
import { ScriptExhausted } from "../src/device/errors";
import { blocks } from "../src/device/integers";
import { DerivedWords, ScriptedWords, SystemWords } from "../src/device/words";
import { seeded } from "./files";

const EDGES = [
  1n,
  2n,
  (1n << 37n) - 1n,
  1n << 37n,
  (1n << 37n) + 1n,
  3n << 51n,
  4281724265078805n,
  CERTAIN - 1n,
];

/** The words that a coin draws whose 53 uniform bits are u: the first 16, then the other 37. */
function wordsOf(u: bigint): bigint[] {
  return [u >> 37n, (u & ((1n << 37n) - 1n)) << 27n];
}

describe("a coin", () => {
  test.each(EDGES)("of chance %s / 2^53 is true below its edge only", (edge) => {
    for (const u of [0n, edge - 1n, edge, edge + 1n, CERTAIN - 1n]) {
      if (u >= CERTAIN) continue;
      const words = new ScriptedWords(wordsOf(u));
      expect(coins(words, edge, 1)).toEqual([u < edge]);
      const low = edge & ((1n << 37n) - 1n);
      expect(words.used).toBe(u >> 37n === edge >> 37n && low > 0n ? 2 : 1);
    }
  });

  test.each(EDGES)("of chance %s / 2^53 looks at no lower bit of a tie", (edge) => {
    const low = (1n << 27n) - 1n;
    for (const u of [edge - 1n, edge]) {
      const [lane, tie] = wordsOf(u) as [bigint, bigint];
      expect(coins(new ScriptedWords([lane, tie | low]), edge, 1)).toEqual([u < edge]);
    }
  });

  test("is true for exactly its share of all lanes", () => {
    for (const high of [1, 2, 12_345, 65_535]) {
      const words = new ScriptedWords(Array.from({ length: 2 ** 14 }, (_, i) => laneWord(4 * i)));
      const tossed = coins(words, BigInt(high) << 37n, 2 ** 16);
      expect(tossed.filter(Boolean).length).toBe(high);
    }
  });

  test("that is certain draws nothing", () => {
    const words = new ScriptedWords([]);
    expect(coins(words, 0n, 2)).toEqual([false, false]);
    expect(coins(words, CERTAIN, 2)).toEqual([true, true]);
  });
});

/** A word of the four lanes n, n + 1, n + 2, n + 3. */
function laneWord(n: number): bigint {
  return [0, 1, 2, 3].reduce((word, i) => word | (BigInt(n + i) << BigInt(16 * i)), 0n);
}

describe("packed coins", () => {
  test.each(EDGES)("of chance %s / 2^53 are true below their edge only", (edge) => {
    const zeros = edge.toString(2).length - edge.toString(2).replace(/0+$/, "").length;
    const planes = Math.min(8, 53 - zeros);
    const left = BigInt(53 - planes);
    for (const u of [0n, edge - 1n, edge, edge + 1n, CERTAIN - 1n]) {
      if (u >= CERTAIN) continue;
      // Coin 0 has the bits of u; the 63 others are decided by the first plane that can.
      const script = Array.from({ length: planes }, (_, plane) => {
        const bit = (u >> BigInt(52 - plane)) & 1n;
        const others = (edge >> BigInt(52 - plane)) & 1n ? 0n : (1n << 64n) - 2n;
        return others | bit;
      });
      const low = edge & ((1n << left) - 1n);
      const tied = u >> left === edge >> left && low > 0n;
      if (tied) script.push((u & ((1n << left) - 1n)) << (64n - left));
      const words = new ScriptedWords(script);
      expect(packed(words, edge, 1, 1)).toEqual(BigUint64Array.of(u < edge ? 1n : 0n));
      expect(words.used).toBe(script.length);
    }
  });

  test("beyond the row are 0", () => {
    expect(packed(new ScriptedWords([]), CERTAIN, 2, 3)).toEqual(BigUint64Array.of(7n, 7n));
    const all = (1n << 64n) - 1n;
    expect(packed(new ScriptedWords([]), CERTAIN, 1, 64)).toEqual(BigUint64Array.of(all));
    expect(packed(new ScriptedWords([]), CERTAIN, 1, 65)).toEqual(BigUint64Array.of(all, 1n));
    expect(packed(new ScriptedWords([]), 0n, 1, 65)).toEqual(BigUint64Array.of(0n, 0n));
  });
});

describe("a bounded integer", () => {
  test.each([2, 3, 5, 6, 1000, 4095, 4096])("below %i is fair over all lanes", (bound) => {
    const counts = new Map<number, number>();
    for (let lane = 0; lane < 2 ** 16; lane++) {
      const drawn = firstDraw(BigInt(lane), bound);
      if (drawn !== null) counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    expect(counts.size).toBe(bound);
    expect(new Set(counts.values())).toEqual(new Set([Math.floor(2 ** 16 / bound)]));
  });

  test("below 1 draws nothing; wide ones take 32 bits", () => {
    expect(below(new ScriptedWords([]), 1, 3)).toEqual(new Uint32Array(3));
    const words = new ScriptedWords([0xffff_ffff_8000_0000n]);
    expect(below(words, 2 ** 32, 2)).toEqual(Uint32Array.of(2 ** 31, 2 ** 32 - 1));
    expect(below(new ScriptedWords([0x8000_0001n]), 5000, 1)).toEqual(Uint32Array.of(2500));
  });
});

/** What one word gives, or null where another is wanted. */
function firstDraw(word: bigint, bound: number): number | null {
  try {
    return below(new ScriptedWords([word]), bound, 1)[0] as number;
  } catch (error) {
    expect(error).toBeInstanceOf(ScriptExhausted);
    return null;
  }
}

describe("words", () => {
  test("lanes start in the lowest bits", () => {
    const words = new ScriptedWords([0x4444333322221111n, 0x5555n]);
    expect(lanes(words, 16, 5)).toEqual(Uint32Array.of(0x1111, 0x2222, 0x3333, 0x4444, 0x5555));
  });

  test("of a seed are those of the specification", () => {
    const words = seeded(1);
    expect(Array.from(words.take(2), (word) => word.toString(16))).toEqual([
      "354e9d678f4314f2",
      "e36f7dc35d9e2e12",
    ]);
  });

  test("are the same however they are asked for", () => {
    const key = new Uint8Array(32).fill(7);
    const whole = new DerivedWords(key).take(1000);
    const words = new DerivedWords(key);
    const parts = [1, 2, 63, 1, 64, 65, 300, 3, 501].flatMap((n) => Array.from(words.take(n)));
    expect(parts).toEqual(Array.from(whole));
  });

  test("of the system come in any number, and differ", () => {
    const drawn = new SystemWords().take(20_000); // more than one call of getRandomValues
    expect(drawn.length).toBe(20_000);
    // Two alike have a chance of 20,000² / 2^65, which is 10^-11.
    expect(new Set(drawn).size).toBe(20_000);
  });

  test("blocks are as even as can be", () => {
    expect(blocks(0, 1)).toEqual([]);
    expect(blocks(2 ** 18 + 1, 1)).toEqual([
      [0, 131_072],
      [131_072, 262_145],
    ]);
  });
});
