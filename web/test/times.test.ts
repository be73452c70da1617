/** Windows and rounds as times of day, wherever the clock hangs. */

import { afterEach, expect, test } from "vitest";

import { words as en } from "../src/dashboard/language/en";
import { words as ja } from "../src/dashboard/language/ja";
import { Calendar, spanText, timeTicks } from "../src/dashboard/times";
import { localTag } from "../src/language";

const MIDNIGHT = Date.UTC(2026, 10, 18) / 1000;
const HOUR = 3600;
const DAY = 24 * HOUR;
const home = process.env["TZ"];

/** Signs between numbers differ from one version of a browser to the next, what they say doesn't. */
const plain = (text: string): string => text.replace(/\s+/g, " ").replace(" – ", "–");

function at(zone: string): void {
  process.env["TZ"] = zone;
  expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone);
}

afterEach(() => {
  if (home === undefined) delete process.env["TZ"];
  else process.env["TZ"] = home;
});

test("whole days by the reader's clock are dates, all else has times", () => {
  at("UTC");
  expect(spanText("en-GB", MIDNIGHT, MIDNIGHT + DAY)).toBe("18 Nov 2026");
  expect(plain(spanText("en-GB", MIDNIGHT, MIDNIGHT + 7 * DAY))).toBe("18–24 Nov 2026");
  const hour = plain(spanText("en-GB", MIDNIGHT + 9 * HOUR, MIDNIGHT + 10 * HOUR));
  expect(hour).toMatch(/^18 Nov 2026, 09:00.10:00$/u);
  expect(plain(spanText("en-GB", MIDNIGHT, MIDNIGHT + 80))).toContain("00:01:20");
  expect(spanText("en-US", MIDNIGHT, MIDNIGHT + DAY)).toBe("Nov 18, 2026");
});

test("a day of another clock is said with its hours", () => {
  at("Asia/Tokyo");
  const day = spanText("ja", MIDNIGHT, MIDNIGHT + DAY);
  expect(day).toContain("2026/11/18 9:00");
  expect(day).toContain("2026/11/19 9:00");
  expect(spanText("ja", MIDNIGHT - 9 * HOUR, MIDNIGHT + 15 * HOUR)).toBe("2026/11/18");
});

test("a calendar names windows and rounds, and the clock that they are by", () => {
  at("Asia/Tokyo");
  const calendar = new Calendar(en, { start: MIDNIGHT, seconds: HOUR }, 6);
  expect(calendar.zone).toBe("Time zone: Asia/Tokyo.");
  expect(calendar.window(2)).toContain("11:00");
  expect(calendar.of("all")).toBe("All together");
  // The eighth round over all windows is the second of window 1: by its number there, or here.
  for (const name of [calendar.roundAxis(0).name(8), calendar.roundAxis(6).name(2)]) {
    expect(name).toContain("10:10");
    expect(name).toContain("10:20");
  }
  const without = new Calendar(ja, null, 6);
  expect([without.zone, without.window(2), without.of(2)]).toEqual([null, "期間 2", ""]);
  expect(without.roundAxis(0).name(2000)).toBe("ラウンド 2,000");
  expect(
    without
      .roundAxis(0)
      .ticks(1, 10, 400)
      .map(({ text }) => text),
  ).toContain("10");
});

test("an axis of times has whole hours or days, and no more than there is room for", () => {
  at("Europe/Berlin"); // one hour ahead
  for (const [each, count] of [
    [1, 5000],
    [2, 40],
    [60, 1440],
    [HOUR, 30],
    [DAY, 30],
    [7 * DAY, 100],
    [80, 1],
  ] as const) {
    for (const width of [240, 640, 1100]) {
      const ticks = timeTicks("en-GB", 1, count, width, MIDNIGHT, each);
      expect(ticks.length).toBeGreaterThan(0);
      expect(ticks.length).toBeLessThanOrEqual(Math.max(2, Math.floor(width / 90)) + 1);
    }
  }
  const hours = timeTicks("en-GB", 0, 29, 640, MIDNIGHT, HOUR).map(({ text }) => text);
  expect(hours).toEqual(["06:00", "12:00", "18:00", "19 Nov", "06:00"].slice(0, hours.length));
});

test("English is written as the reader's browser does", () => {
  expect(localTag("en", ["ja-JP", "en-GB", "en-US"])).toBe("en-GB");
  expect(localTag("ja", ["en-GB"])).toBe("ja");
});
