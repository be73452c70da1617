/** The difference of two windows, and the level of a band over several. */

import { expect, test } from "vitest";

import { difference, type Bounded } from "../src/dashboard/comparison";
import { bandLevel } from "../src/dashboard/history";

/** Wilson's score interval of a count. */
function score(count: number, n: number): Bounded {
  const z = 1.959964;
  const share = count / n;
  const middle = (share + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((share * (1 - share)) / n + (z / (2 * n)) ** 2);
  return { share, low: middle - half, high: middle + half };
}

// Newcombe 1998, "Interval estimation for the difference between independent proportions", method 10.
test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [5, 56, 0, 29, -0.0381, 0.1926],
])("%i of %i, less %i of %i, as it was published", (a, m, b, n, low, high) => {
  const found = difference(score(a, m), score(b, n));
  expect(found.share).toBeCloseTo(a / m - b / n, 12);
  expect(found.low).toBeCloseTo(low, 4);
  expect(found.high).toBeCloseTo(high, 4);
});

test("a difference the other way is the same with its sign turned", () => {
  const [one, two] = [score(56, 70), score(48, 80)];
  const [there, back] = [difference(one, two), difference(two, one)];
  expect(back.low).toBeCloseTo(-there.high, 12);
  expect(back.high).toBeCloseTo(-there.low, 12);
  const same = difference(one, one);
  expect([same.share, same.low < 0, same.high > 0]).toEqual([0, true, true]);
});

test("a band's level is never less than what it takes for all windows at once", () => {
  for (const count of [2, 7, 30]) {
    const missed = count * (1 - bandLevel(0.95, count));
    expect(missed).toBeLessThanOrEqual(0.05 + 1e-12);
    expect(missed).toBeGreaterThan(0.0499);
  }
});
