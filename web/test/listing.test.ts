/** Long lists: sorted, searched and folded. */

import { expect, test } from "vitest";

import { FOLDED, arranged, firstLook, folded, isLong, type Lens } from "../src/dashboard/listing";

const ROWS = [
  { label: "Österreich", share: 0.1 },
  { label: "Zambia", share: 0.3 },
  { label: "Île 10", share: -0.02 },
  { label: "Île 9", share: 0.2 },
  { label: "ＪＡＰＡＮ 日本", share: 0.2 },
];
const lens = (change: Partial<Lens>): Lens => ({ ...firstLook(ROWS.length), ...change });
const labels = (change: Partial<Lens>): string[] =>
  arranged(ROWS, lens(change), "en").map(({ label }) => label);

test("a list is sorted by share, by name as people sort, or as the question has it", () => {
  const given = ROWS.map(({ label }) => label);
  expect(labels({ order: "given" })).toEqual(given);
  // Equal shares keep the question's order.
  expect(labels({ order: "share" })).toEqual([
    "Zambia",
    "Île 9",
    "ＪＡＰＡＮ 日本",
    "Österreich",
    "Île 10",
  ]);
  expect(labels({ order: "name" })).toEqual([
    "Île 9",
    "Île 10",
    "ＪＡＰＡＮ 日本",
    "Österreich",
    "Zambia",
  ]);
  expect(ROWS.map(({ label }) => label)).toEqual(given); // and nobody else's list is touched
});

test("a search minds neither case nor accents nor the width of letters", () => {
  expect(labels({ search: "ost" })).toEqual(["Österreich"]);
  expect(labels({ search: "  ILE" })).toEqual(["Île 10", "Île 9"]);
  expect(labels({ search: "japan" })).toEqual(["ＪＡＰＡＮ 日本"]);
  expect(labels({ search: "日" })).toEqual(["ＪＡＰＡＮ 日本"]);
  expect(labels({ search: ".*" })).toEqual([]);
});

test("a long list is folded until it is opened, a short one never", () => {
  const many = Array.from({ length: 217 }, (_, i) => i);
  expect(folded(many, lens({}))).toEqual(many.slice(0, FOLDED));
  expect(folded(many, lens({ open: true }))).toEqual(many);
  for (const count of [0, 1, FOLDED, FOLDED + 1]) {
    expect(isLong(count)).toBe(false);
    expect(folded(many.slice(0, count), lens({}))).toHaveLength(count);
  }
  expect(firstLook(217)).toEqual({ order: "share", search: "", open: false });
  expect(firstLook(4).order).toBe("given");
});
