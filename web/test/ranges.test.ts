/** Numbers in a range: placed on the nearest step, exactly. */

import { describe, expect, test } from "vitest";

import { InvalidDocument } from "../src/device/errors";
import { Range } from "../src/device/ranges";
import { readMechanism } from "../src/device/mechanisms";
import { Window } from "../src/device/window";

const AGES = new Range(["18", "99"], 81);
const FINE = new Range(["-1.5", "2.5"], 16);

describe("a range", () => {
  test("has its numbers as text", () => {
    expect([AGES.step, AGES.textOf(0), AGES.textOf(81)]).toEqual(["1", "18", "99"]);
    expect([FINE.step, FINE.textOf(0), FINE.textOf(6), FINE.textOf(7)]).toEqual([
      "0.25",
      "-1.5",
      "0",
      "0.25",
    ]);
  });

  test.each([
    ["18", 0, false],
    [" 19.5 ", 2, false],
    ["19.4999999999999999999", 1, false],
    ["+20", 2, false],
    ["1e2", 81, true],
    ["1e999999", 81, true],
    ["-1e999999", 0, true],
    ["1e-999999", 0, true],
    ["17.9", 0, true],
    ["99.0", 81, false],
    ["0.00000000000000000000000000000000000000000000000000000000000000000001e70", 81, true],
  ])("places %s", (text, steps, isClipped) => {
    expect(AGES.place(text)).toEqual({ steps, isClipped });
  });

  test("places negative numbers, the upper of two steps", () => {
    expect(FINE.place("-1.375")?.steps).toBe(1);
    expect(FINE.place("-1.376")?.steps).toBe(0);
    expect(FINE.place("-.1")?.steps).toBe(6);
  });

  test.each(["", ".", "-", "nan", "Infinity", "1,5", "0x10", "12a", "e5"])("refuses %s", (text) => {
    expect(AGES.place(text)).toBeNull();
  });

  test.each([
    [["1", "1"], 1],
    [["0", "1"], 3],
    [["a", "1"], 1],
    [["0", "1e3"], 1],
    [["0", "999999999999999.5"], 1],
  ] as [[string, string], number][])("of %s in %d steps is refused", (ends, steps) => {
    expect(() => new Range(ends, steps)).toThrow(InvalidDocument);
  });
});

test("what reports count has the number as its mean", () => {
  const document = { name: "window", steps: 6, width: 2, keep: "3/4", scores: [-3, -2, 0, 2, 3] };
  const mechanism = readMechanism(document) as Window;
  for (let value = 0; value <= 6; value++) {
    const chances = mechanism.scores.map((_, output) => mechanism.chanceOf(output, value));
    const mean = chances
      .map(({ top, bottom }, output) => (Number(top) / Number(bottom)) * mechanism.part(output))
      .reduce((sum, part) => sum + part);
    expect(mean).toBeCloseTo(value, 10);
  }
});

test.each([
  { scores: [0, 1, 0] },
  { scores: [1, "2"] },
  { scores: "12" },
  { scores: [1] },
  { width: 5 },
  { width: 0 },
  { steps: 0 },
  { keep: "2/5" },
  { keep: "1/4" },
  { steps: 2 ** 20, scores: [0, 0, 97, 98, 1009] },
])("a document with %j is refused", (wrong) => {
  const document = { name: "window", steps: 6, width: 2, keep: "3/4", scores: [-3, -2, 0, 2, 3] };
  expect(() => readMechanism({ ...document, ...wrong })).toThrow(InvalidDocument);
});
