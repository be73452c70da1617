/** Searching among many answers. */

import { expect, test } from "vitest";

import { fits } from "../src/survey/kinds/options";

test.each([
  ["Côte d’Ivoire", "cote", true],
  ["Côte d’Ivoire", "IVOIRE cô", true],
  ["Côte d’Ivoire", "coast", false],
  ["日本", "日", true],
  ["フランス", "ふら", true],
  ["ＡＢＣ", "abc", true],
  ["ガーナ", "がー", true],
  ["United States", "united  states", true],
  ["United States", "states united kingdom", false],
])("“%s” for “%s”: %s", (label, wanted, isFound) => {
  expect(fits(label, wanted)).toBe(isFound);
});
