/** Which points of a long series are drawn. */

import { expect, test } from "vitest";

import { areas, holding, lines, reach, thinned, zoomed, type Point } from "../src/dashboard/course";

function point(round: number, share: number | null): Point {
  const by = (distance: number): number | null => (share === null ? null : share + distance);
  return {
    round,
    share,
    low: by(-0.1),
    high: by(0.1),
    bandLow: by(-0.2),
    bandHigh: by(0.2),
    truth: null,
  };
}

const MANY = Array.from({ length: 2000 }, (_, i) => point(i + 1, 0.3 + 0.01 * Math.sin(i)));

test("few points are all drawn, of many the lowest and the highest of neighbours", () => {
  expect(thinned(MANY.slice(0, 300), 300)).toEqual(MANY.slice(0, 300));
  const spiky = MANY.map((each, i) =>
    i === 777 ? point(778, -0.4) : i === 1234 ? point(1235, 0.9) : each,
  );
  for (const most of [200, 304, 1144]) {
    const drawn = thinned(spiky, most);
    expect(drawn.length).toBeLessThanOrEqual(most + 2);
    expect(drawn.find(({ round }) => round === 778)?.share).toBe(-0.4);
    expect(drawn.find(({ round }) => round === 1235)?.share).toBe(0.9);
    expect(reach(drawn)).toEqual(reach(spiky));
    const rounds = drawn.map(({ round }) => round);
    expect(rounds).toEqual([...rounds].sort((a, b) => a - b));
  }
});

test("a gap that is wider than a pixel stays one", () => {
  const gap = MANY.map((each) =>
    each.round > 900 && each.round < 1000 ? point(each.round, null) : each,
  );
  const drawn = thinned(gap, 400);
  expect(drawn.some(({ share }) => share === null)).toBe(true);
  const path = lines(
    drawn,
    (x) => x,
    (y) => y,
    "share",
  );
  expect(path.match(/M/g)).toHaveLength(2);
  const area = areas(
    drawn,
    (x) => x,
    (y) => y,
    "low",
    "high",
  );
  expect(area.match(/Z/g)).toHaveLength(2);
});

test("the scale has room for intervals below 0", () => {
  expect(reach([point(1, 0.05)])[0]).toBeCloseTo(-0.15);
  expect(reach([point(1, null)])).toEqual([0, 0]);
});

test("zooming keeps its round in sight and stays within the rounds there are", () => {
  const whole = { first: 1, last: 2000 };
  const near = zoomed(whole, 0.5, 500, whole);
  expect(near.last - near.first).toBe(1000);
  expect(near.first).toBeLessThanOrEqual(500);
  expect(near.last).toBeGreaterThanOrEqual(500);
  let span = whole;
  for (let i = 0; i < 20; i++) span = zoomed(span, 0.5, 2000, whole);
  expect(span).toEqual({ first: 1990, last: 2000 });
  for (let i = 0; i < 20; i++) span = zoomed(span, 2, 1990, whole);
  expect(span).toEqual(whole);
  expect(holding({ first: 10, last: 20 }, 25, whole)).toEqual({ first: 15, last: 25 });
  expect(holding({ first: 10, last: 20 }, 1, whole)).toEqual({ first: 1, last: 11 });
  expect(holding({ first: 10, last: 20 }, 12, whole)).toEqual({ first: 10, last: 20 });
});
