/** What the page says of a report: what it says, and what that means for who sent it. */

import { expect, test } from "vitest";

import { Collection } from "../src/device";
import { kindOf } from "../src/survey/kinds";
import { words as en } from "../src/survey/language/en";
import { words as ja } from "../src/survey/language/ja";
import { utf8 } from "./files";

function collection(mechanism: object, answers: readonly string[]): Collection {
  const document = { sudare: "collection", format: 1, name: "tea", question: "Which tea?" };
  const rest = { answers, mechanism, minimum_reports: 10, epsilon: 100 };
  return Collection.read(utf8(JSON.stringify({ ...document, ...rest })));
}

const TEAS = ["green", "black"];
const GRR = collection({ name: "grr", k: 2, keep: "3/4" }, TEAS);
const OUE = collection({ name: "oue", k: 2, p: "1/2", q: "1/4" }, TEAS);
const SUBSET = collection({ name: "subset", k: 3, size: 2, keep: "3/4" }, [...TEAS, "white"]);
const SUBSETS = collection(
  { name: "subset", k: 100, size: 27, keep: "1/2" },
  Array.from({ length: 100 }, (_, i) => (i ? `tea ${i}` : "green")),
);
const HADAMARD = collection({ name: "hadamard", k: 2, keep: "3/4" }, TEAS);
const GEOMETRY = collection(
  { name: "projective", k: 100, keep: "1/2", prime: 11, dimension: 2 },
  Array.from({ length: 100 }, (_, i) => (i ? `tea ${i}` : "green")),
);
const KSHOT = collection({ name: "kshot", rounds: 4, shots: 2, flips: 0, few: "3/4" }, TEAS);
const HARMONY = collection({ name: "harmony", rounds: 4, keep: "3/4" }, TEAS);
const row = (bits: number): Uint8Array => Uint8Array.of(bits, 0, 0, 0, 0, 0, 0, 0);

test.each([
  ["a choice that is the answer", GRR, Uint8Array.of(0), /^By chance, this is your own answer/],
  ["a choice that isn't", GRR, Uint8Array.of(1), /^This isn’t what you chose/],
  ["a yes to the answer", OUE, row(0b01), /yes to your own answer, as about 50 of 100/],
  ["a yes to both", OUE, row(0b11), /About 25 of 100 reports say yes to an answer that wasn’t/],
  ["a set with the answer", SUBSET, row(0b011), /yes to your own answer, as about 75 of 100/],
  ["a set without it", SUBSET, row(0b110), /no to your own answer, as about 25 of 100/],
  ["a no to the answer", OUE, row(0b10), /no to your own answer, as about 50 of 100/],
  [
    "a row with a + for the answer",
    HADAMARD,
    Uint8Array.of(2),
    /yes to your own answer, as about 75/,
  ],
  [
    "a row with a - for it",
    HADAMARD,
    Uint8Array.of(1),
    /no to your own answer, as about 25 of 100/,
  ],
  [
    "an equation it solves",
    GEOMETRY,
    Uint8Array.of(1),
    /yes to your own answer, as about 50 of 100/,
  ],
  ["one that nothing solves", GEOMETRY, Uint8Array.of(0), /no to your own answer, as about 50/],
  [
    "the state",
    KSHOT,
    Uint8Array.of(2, 0),
    /^By chance, this is your own state. .* about 83 of 100/,
  ],
  ["the other state", KSHOT, Uint8Array.of(2, 1), /^This isn’t your state/],
  ["what is said anyway", HARMONY, Uint8Array.of(2, 0), /^In most rounds this is sent whatever/],
  ["what isn't", HARMONY, Uint8Array.of(2, 1), /^This isn’t your state/],
])("%s", (_, asked, record, wanted) => {
  expect(kindOf(asked).meaning(en, asked, record, "green")).toMatch(wanted);
  expect(kindOf(asked).meaning(ja, asked, record, "green")).not.toBe("");
});

test("how often a device speaks is said for every mechanism over time", () => {
  const said = (asked: Collection): string => kindOf(asked).odds(en, asked);
  expect(said(KSHOT)).toMatch(/^A device reports in 2 rounds of 4, .* about 83 then report/);
  expect(said(HARMONY)).toMatch(/in one round of 4, .* reports “\u2068green\u2069” in all others/);
  const every = collection({ name: "borappor", rounds: 4, keep: "3/4" }, TEAS);
  expect(said(every)).toMatch(
    /^A device reports in each of the 4 rounds\. Of 100 people, about 75/,
  );
  const once = collection({ name: "glance", rounds: 4, keep: "3/4" }, TEAS);
  expect(said(once)).toMatch(/^A device reports in one round of 4/);
});

test("a number is spelt out for few answers, and counted for many", () => {
  const said = (asked: Collection, point: number): string =>
    kindOf(asked).report(en, asked, Uint8Array.of(point));
  expect(said(HADAMARD, 2)).toMatch(/^Yes to “.*green.*”; no to “.*black.*”\.$/);
  expect(said(HADAMARD, 0)).toBe(en.saysAll);
  const few = kindOf(SUBSET).report(en, SUBSET, row(0b101));
  expect(few).toMatch(/^Yes to “.*green.*”, “.*white.*”; no to “.*black.*”\.$/);
  const many = Uint8Array.from({ length: 16 }, (_, i) => [255, 255, 255, 7][i] ?? 0);
  expect(kindOf(SUBSETS).report(en, SUBSETS, many)).toBe("Yes to 27 of 100 answers.");
  expect(kindOf(SUBSETS).report(ja, SUBSETS, many)).toContain("27");
  expect(said(GEOMETRY, 0)).toBe("The number 0: yes to 0 of 100 answers.");
  expect(said(GEOMETRY, 1)).toBe("The number 1: yes to 10 of 100 answers.");
  expect(kindOf(GEOMETRY).report(ja, GEOMETRY, Uint8Array.of(1))).toContain("10");
  const most = Array.from({ length: 60 }, (_, i) => `tea ${i}`);
  const wide = collection({ name: "subset", k: 60, size: 2, keep: "1/2" }, most);
  const two = kindOf(wide).report(en, wide, row(0b11));
  expect(two).toBe("Yes to “\u2068tea 0\u2069”, “\u2068tea 1\u2069”; no to the 58 others.");
  expect(kindOf(wide).report(ja, wide, row(0b11))).toContain("ほかの 58 個");
});
