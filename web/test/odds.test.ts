/** The odds that a page shows are those of the mechanism, exactly. */

import { describe, expect, test } from "vitest";

import { Collection, type Answer } from "../src/device/collection";
import { Device } from "../src/device/device";
import { fraction, over, plus, raised, toNumber, type Fraction } from "../src/device/fractions";
import { readMechanism } from "../src/device/mechanisms";
import { chanceOf, conclude, concludeOne, everyReport, odds, type Value } from "../src/device/odds";
import type { Unread } from "../src/device/parameters";
import { PlainSecret } from "../src/device/secret";
import { digest } from "../src/device/strings";
import { readJson, utf8 } from "./files";

const DEVICE = new Device(new PlainSecret(new Uint8Array(32)));
const KEY = "00".repeat(32);
const KNOWN = readJson<{ document: string }[]>("test/fixtures/collections.json").map(
  ({ document }) => Collection.read(utf8(document)),
);

/** Every row of k numbers, 0 or 1, of which at most so many are 1. */
function selections(k: number, most: number): Value[] {
  const rows = Array.from({ length: 2 ** k }, (_, bits) =>
    Array.from({ length: k }, (_, answer) => (bits >> answer) & 1),
  );
  return rows.filter((row) => row.reduce((sum, is) => sum + is, 0) <= most);
}

const COIN = { name: "grr", k: 2, keep: "3/4" };
const BITS = { name: "oue", k: 3, p: "1/2", q: "1/4" };
const PAIRS = [0, 1].flatMap((one) => [0, 1, 2].map((two) => [one, two]));

/** Every row of one label of each list. */
function rowsOf(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (begun, labels) => begun.flatMap((row) => labels.map((label) => [...row, label])),
    [[]],
  );
}

const SMALL: [Unread, Value[]][] = [
  [{ name: "grr", k: 4, keep: "4281724265078805/9007199254740992" }, [0, 1, 2, 3]],
  [{ name: "oue", k: 3, p: "1/2", q: "1/4" }, [0, 1, 2]],
  [{ name: "sue", k: 5, p: "7/8", q: "1/8" }, [0, 1, 2, 3, 4]],
  [{ name: "subset", k: 5, size: 2, keep: "3/4" }, [0, 1, 2, 3, 4]],
  [{ name: "subset", k: 2, size: 1, keep: "3/4" }, [0, 1]],
  [{ name: "set", k: 3, most: 2, size: 2, keep: "13/16" }, selections(3, 2)],
  [{ name: "set", k: 4, most: 3, size: 3, keep: "31/32" }, selections(4, 3)],
  [{ name: "sample", parts: [COIN, BITS] }, PAIRS],
  [{ name: "split", parts: [COIN, BITS] }, PAIRS],
  [{ name: "joint", shape: [2, 3], table: { name: "grr", k: 6, keep: "1/2" } }, PAIRS],
  [{ name: "projective", k: 5, keep: "5/8", prime: 3, dimension: 2 }, [0, 1, 2, 3, 4]],
  [{ name: "projective", k: 3, keep: "1/2", prime: 5, dimension: 1 }, [0, 1, 2]],
  [{ name: "hadamard", k: 5, keep: "5/8" }, [0, 1, 2, 3, 4]],
  [{ name: "olh", k: 5, keep: "5/8", prime: 3, dimension: 2 }, [0, 1, 2, 3, 4]],
  [{ name: "loloha", k: 5, prime: 3, dimension: 2, lasting: "3/4", fresh: "5/8" }, [0, 1, 2, 3, 4]],
  [{ name: "glance", rounds: 3, keep: "3/4" }, [0, 1]],
  [{ name: "rappor", bits: 4, hashes: 0, cohorts: 1, f: "1/2", p: "1/4", q: "3/4" }, [0, 1, 2, 3]],
  [
    { name: "rappor", bits: 8, hashes: 2, cohorts: 3, f: "1/2", p: "1/4", q: "3/4" },
    // Enough texts that two of them have no bit in common.
    Array.from({ length: 40 }, (_, i) => digest(KEY, `text ${i}`)),
  ],
  [
    // Two texts differ in one bit each way, though each sets three.
    { name: "rappor", bits: 4, hashes: 3, cohorts: 1, f: "1/2", p: "1/4", q: "3/4" },
    Array.from({ length: 20 }, (_, i) => digest(KEY, `text ${i}`)),
  ],
];

const isMore = (a: Fraction, b: Fraction): boolean => a.top * b.bottom > b.top * a.bottom;

describe.each(SMALL)("the law of %j", (document, values) => {
  const mechanism = readMechanism(document);
  const reports = everyReport(mechanism) as Uint8Array[];

  test("sums to 1 under every answer", () => {
    for (const value of values) {
      const chances = reports.map((record) => chanceOf(mechanism, value, record));
      expect(chances.reduce(plus)).toEqual(fraction(1n));
    }
  });

  test("has the declared worst ratio, exactly", () => {
    let worst = fraction(1n);
    for (const record of reports) {
      const chances = values.map((value) => chanceOf(mechanism, value, record));
      const high = chances.reduce((a, b) => (isMore(b, a) ? b : a));
      const low = chances.reduce((a, b) => (isMore(a, b) ? b : a));
      if (isMore(over(high, low), worst)) worst = over(high, low);
    }
    expect(worst).toEqual(raised(mechanism.worstRatio));
  });
});

describe("for people", () => {
  test("GRR with 4 answers at ε = 1", () => {
    const { truth, other } = odds(readMechanism((SMALL[0] as [Unread, Value[]])[0]));
    expect(toNumber(truth)).toBeCloseTo(0.4754, 4);
    expect(toNumber(other)).toBeCloseTo(0.1749, 4);
    expect(toNumber(truth) + 3 * toNumber(other)).toBeCloseTo(1, 15);
  });

  test("large mechanisms aren't enumerated", () => {
    for (const { mechanism } of KNOWN) {
      const reports = everyReport(mechanism);
      if (reports === null) expect(mechanism.recordBytes).toBeGreaterThanOrEqual(8);
      else expect(reports.length).toBeLessThanOrEqual(4096);
    }
  });

  test.each(KNOWN)("conclusions of $mechanism.name %#", async (collection) => {
    const among: readonly Answer[] = collection.freeText
      ? ["tea", "coffee", "water"]
      : collection.several
        ? [[], ...collection.answers.map((label) => [label])]
        : collection.atOnce
          ? rowsOf(collection.parts.map(({ answers }) => answers))
          : collection.answers;
    const record = collection.overTime
      ? Uint8Array.of(2, 1)
      : (await DEVICE.report(collection, among[1] as Answer)).record;
    const { answers, posterior, ratio, most } = conclude(collection, record, among);
    expect(answers).toBe(among);
    expect(posterior.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    expect(ratio).toBeGreaterThanOrEqual(1);
    expect(ratio).toBeLessThanOrEqual(most * (1 + 1e-12));
    expect(most).toBeCloseTo(Math.exp(collection.epsilon), 9);
    // Bayes' rule on the exact chances.
    const chances = among.map((answer) =>
      chanceOf(collection.mechanism, collection.encode(answer), record),
    );
    const sum = chances.reduce(plus);
    chances.forEach((chance, i) => {
      expect(posterior[i]).toBeCloseTo(toNumber(over(chance, sum)), 12);
    });
  });

  test.each(KNOWN.filter(({ atOnce }) => atOnce))(
    "what $mechanism.name tells of one question is the sum over the others",
    async (collection) => {
      const rows = rowsOf(collection.parts.map(({ answers }) => answers));
      const { record } = await DEVICE.report(collection, rows[1] as Answer);
      const { posterior } = conclude(collection, record, rows);
      collection.parts.forEach(({ answers }, question) => {
        const alone = concludeOne(collection, record, question).posterior;
        answers.forEach((label, answer) => {
          const all = rows.map((row, i) =>
            row[question] === label ? (posterior[i] as number) : 0,
          );
          expect(alone[answer]).toBeCloseTo(
            all.reduce((a, b) => a + b),
            12,
          );
        });
      });
    },
  );

  test.each([
    [{ name: "kshot", rounds: 4, shots: 2, flips: 0, few: "3/4" }, 2],
    [{ name: "harmony", rounds: 4, keep: "3/4" }, 4],
    [{ name: "borappor", rounds: 4, keep: "3/4" }, 4],
  ])("of $name, a device makes as many reports as it says", (document: Unread, reports) => {
    const mechanism = readMechanism(document);
    const all = everyReport(mechanism) as Uint8Array[];
    for (const state of [0, 1]) {
      const chances = all.map((record) => chanceOf(mechanism, state, record));
      expect(chances.reduce(plus)).toEqual(fraction(BigInt(reports)));
    }
  });

  test("who isn't looked at says 0: a 0 tells less than a 1", () => {
    const hidden = readMechanism({ name: "harmony", rounds: 4, keep: "3/4" });
    const [no, yes] = [Uint8Array.of(2, 0), Uint8Array.of(2, 1)];
    const ratio = (record: Uint8Array, high: 0 | 1): Fraction =>
      over(chanceOf(hidden, high, record), chanceOf(hidden, 1 - high, record));
    expect(ratio(yes, 1)).toEqual(fraction(3n)); // 3/16 against 1/16
    expect(ratio(no, 0)).toEqual(fraction(15n, 13n));
  });

  test("free text needs texts to compare", async () => {
    const words = KNOWN.find(({ freeText }) => freeText) as Collection;
    const { record } = await DEVICE.report(words, "tea");
    expect(() => conclude(words, record)).toThrow(/name the texts/);
  });
});

test("fractions become floats at any size", () => {
  expect(toNumber(fraction(0n))).toBe(0);
  expect(toNumber(fraction(3n, 4n))).toBe(0.75);
  expect(toNumber({ top: 3n ** 2000n, bottom: 3n ** 2001n })).toBeCloseTo(1 / 3, 15);
  expect(toNumber({ top: 1n, bottom: 3n ** 200n })).toBeCloseTo(3 ** -200, 15);
});
