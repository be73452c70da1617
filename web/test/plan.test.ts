/** The planner's own logic: wishes and addresses, sliders, scales, and what numbers mean. */

import { expect, test } from "vitest";

import { below } from "../src/device/coins";
import { planIn, placeOf } from "../src/dashboard/address";
import {
  formFor,
  planAddress,
  plannedOf,
  settledBy,
  standIn,
  wishesIn,
  type Settled,
} from "../src/dashboard/administration/planned";
import { BLANK, asking, type Form } from "../src/dashboard/administration/wishes";
import type { Plan, Row } from "../src/plan/answer";
import {
  FIELDS,
  FOUND,
  KINDS,
  OWN,
  furtherOf,
  goalsOf,
  type Field,
  type Kind,
} from "../src/plan/fields";
import { isOn, logScale, placeOn, ticksOf } from "../src/plan/scale";
import { betOf, fitsOf, outOf, seenOf, strengthOf } from "../src/plan/sense";
import { nearest, stopsOf } from "../src/plan/slider";
import {
  FIRST,
  fieldOf,
  finding,
  following,
  goalOf,
  isMean,
  plainNumber,
  queryOf,
  readQuery,
  saidOf,
  shifted,
  typedOf,
  type Wishes,
} from "../src/plan/wishes";
import { seeded } from "./files";

/** Texts that a field can hold. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  whole: ["1", "2", "7", "40", "100", "999"],
  number: ["0.5", "1", "2.25", "0.125"],
  percent: ["1", "5", "2.5", "0.1", "12.34", "50"],
  decimal: ["0", "-5", "18", "99", "0.5", "100.25"],
  sizes: ["2,2", "3,5,2", "10,20,30,40"],
  flag: ["", "yes"],
  finding: ["mean", "distribution"],
};

const words = seeded(1);
function drawn<Value>(values: readonly Value[]): Value {
  return values[below(words, values.length, 1)[0] as number] as Value;
}

/** Wishes that can be read, of any kind. */
function drawnWishes(): Wishes {
  const kind = drawn(KINDS);
  const found = drawn(FOUND);
  const values = { ...FIRST.values };
  const drawnField = (field: Field): void => {
    const texts = (TYPED[FIELDS[field].form] ?? []).filter(
      (text) => text === FIELDS[field].usual || saidOf(field, text) !== null,
    );
    values[field] = drawn([FIELDS[field].usual, ...texts]);
  };
  OWN[kind].forEach(drawnField);
  let wishes: Wishes = { kind, found, goal: "error", values };
  const goal = drawn(goalsOf(kind, isMean(wishes)));
  if (found !== "error") wishes = { ...wishes, goal };
  if (found !== "people") drawnField("people");
  if (found !== "epsilon") drawnField("epsilon");
  if (found !== "error") drawnField(fieldOf(wishes, goal));
  furtherOf(kind, isMean(wishes)).forEach(drawnField);
  return wishes;
}

test("an address has all of the wishes: what was written is what is read", () => {
  for (let times = 0; times < 500; times++) {
    const wishes = drawnWishes();
    const query = queryOf(wishes);
    expect(typeof query, JSON.stringify(wishes)).toBe("string");
    const { wishes: read, strange } = readQuery(query as string);
    expect(strange).toEqual([]);
    expect(queryOf(read)).toBe(query);
    expect([read.kind, read.found, goalOf(read)]).toEqual([
      wishes.kind,
      wishes.found,
      goalOf(wishes),
    ]);
  }
});

test("an address has what isn't usual, and what a plan can't be without", () => {
  expect(queryOf(FIRST)).toBe("kind=choice&answers=10&epsilon=1&error=0.02");
  expect(readQuery("")).toEqual({ wishes: FIRST, strange: [] });
  const query = "kind=questions&sizes=3,5,2&people=20000&epsilon=2";
  expect(queryOf(readQuery(query).wishes)).toBe(query);
  expect(queryOf(readQuery("kind=stream&people=10000&epsilon=4&low=.4&high=0.60").wishes)).toBe(
    "kind=stream&rounds=24&low=0.4&high=0.6&people=10000&epsilon=4",
  );
});

test.each([
  ["kind=tea", ["kind"]],
  ["kind=choice&answers=many", ["answers"]],
  ["kind=choice&answers=1&answers=2", ["answers"]],
  ["kind=choice&answers=5&error=0.01&smallest_share=0.02", ["smallest_share"]],
  ["kind=choice&answers=5&people=9&epsilon=1&error=0.01", ["error"]],
  ["kind=stream&rounds=5&people=9&epsilon=1&share=0.3", ["share"]],
  ["kind=text&difference=0.1", ["difference"]],
  ["kind=choice&answers=5&epsilon=21&population=maybe&utm=1", ["epsilon", "population", "utm"]],
  ["kind=number&least=0&largest=9&step=1&smallest_share=0.1", ["smallest_share"]],
  ["__proto__=1&constructor=2", ["__proto__", "constructor"]],
])("of %s it is said what can't be read", (query, strange) => {
  const read = readQuery(query);
  expect(read.strange).toEqual(strange);
  expect(typeof queryOf(read.wishes)).toBe("string");
});

test("what can't be read isn't asked, and it is known which it is", () => {
  const values = { ...FIRST.values, answers: "", epsilon: "0", error: "2" };
  expect(queryOf({ ...FIRST, values })).toEqual(["answers", "epsilon"]);
  expect(saidOf("people", "１２，０００")).toBe("12000");
  expect(saidOf("people", "1,000,000")).toBe("1000000");
  expect(saidOf("sizes", "3、5  2")).toBe("3,5,2");
  for (const [field, text] of [
    ["people", "0"],
    ["people", "1.5"],
    ["people", "1e3"],
    ["error", "100"],
    ["error", "-1"],
    ["power", "49"],
    ["level", "0"],
    ["sizes", "3"],
    ["sizes", "3,1"],
    ["least", "x"],
    ["epsilon", "."],
  ] as const) {
    expect(saidOf(field, text), `${field} ${text}`).toBeNull();
  }
});

test("per cents are shifted digit by digit", () => {
  expect([shifted("28.5", -2), shifted("0.285", 2), shifted("2", -2)]).toEqual([
    "0.285",
    "28.5",
    "0.02",
  ]);
  for (let value = 1; value < 1000; value++) {
    const text = `${value / 10}`;
    expect(shifted(shifted(text, -2), 2)).toBe(text);
    expect(Number(shifted(text, -2))).toBeCloseTo(value / 1000, 12);
  }
  expect(plainNumber(1e-6)).toBe("0.000001");
  expect(typedOf("delta", "1e-06")).toBe("0.000001");
});

test("every kind can be planned as it is proposed, and every wish has its bounds", () => {
  for (const kind of KINDS) {
    for (const found of FOUND) expect(typeof queryOf({ ...FIRST, kind, found })).toBe("string");
  }
  for (const [field, { usual }] of Object.entries(FIELDS)) {
    if (usual !== "") expect(saidOf(field as Field, usual), field).not.toBeNull();
  }
});

const ROW = { people: 27_267, epsilon: 1.257, error: 0.019_999, smallest_share: 0.0286 } as Row;

test("what was found is given when something else is to be found", () => {
  const plan = { recommended: ROW } as Plan;
  const toError = finding(FIRST, "error", plan);
  expect(queryOf(toError)).toBe("kind=choice&answers=10&people=27267&epsilon=1");
  const toEpsilon = finding(toError, "epsilon", plan);
  expect(queryOf(toEpsilon)).toBe("kind=choice&answers=10&people=27267&error=0.02");
  expect(queryOf(finding(toEpsilon, "people", plan))).toContain("epsilon=1.257");
  expect(queryOf(finding(FIRST, "epsilon", null))).toContain("people=10000");
});

test("a way out changes what it names, but not what is to be found", () => {
  expect(queryOf(following(FIRST, { answers: 5 }) as Wishes)).toContain("answers=5");
  expect(queryOf(following(FIRST, { error: 0.035 }) as Wishes)).toContain("error=0.035");
  expect(following(FIRST, { people: 5 })).toBeNull();
  expect(queryOf(following(FIRST, { most_bytes: 200 }) as Wishes)).toContain("most_bytes=200");
  const few = { ...FIRST, values: { ...FIRST.values, most_bytes: "1" } };
  expect(queryOf(following(few, { most_bytes: 8 }) as Wishes)).toContain("most_bytes=8");
});

test("a slider rises, stays in its ends, and every stop can be reached by one key", () => {
  for (const [field, { slider, form }] of Object.entries(FIELDS)) {
    if (!slider) continue;
    const stops = stopsOf(slider);
    expect([stops[0], stops.at(-1)]).toEqual([slider.from, slider.to]);
    expect(stops.length).toBeLessThan(200);
    stops.forEach((stop, i) => {
      expect(i === 0 || stop > (stops[i - 1] as number), `${field} ${stop}`).toBe(true);
      expect(nearest(stops, stop, slider.isLog)).toBe(i);
      expect(saidOf(field as Field, plainNumber(stop)), `${field} ${stop}`).not.toBeNull();
      if (form === "whole") expect(Number.isInteger(stop)).toBe(true);
    });
  }
});

test("a scale holds its numbers, and has a few round lines", () => {
  for (const values of [
    [3000, 3000],
    [4, 495_347],
    [0.0664, 0.065],
    [1e-7, 0.9],
    [1, 1e12],
  ]) {
    const scale = logScale(values);
    for (const value of values) {
      expect(placeOn(scale, value)).toBeGreaterThanOrEqual(0);
      expect(placeOn(scale, value)).toBeLessThanOrEqual(1);
    }
    const ticks = ticksOf(scale, 6);
    expect(ticks.length).toBeGreaterThan(0);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.every((tick) => isOn(scale, tick))).toBe(true);
  }
  expect(ticksOf(logScale([4, 495_347]), 6)).toEqual([10, 100, 1000, 10_000, 100_000]);
});

test("an ε is a bet that never promises too much", () => {
  const bets = [0.1, 1, 2, 4, 8].map((epsilon) => betOf(epsilon));
  expect(bets).toEqual([
    { right: 53, of: 100 },
    { right: 74, of: 100 },
    { right: 89, of: 100 },
    { right: 99, of: 100 },
    { right: 9997, of: 10_000 },
  ]);
  for (let epsilon = 0.01; epsilon < 30; epsilon *= 1.1) {
    const { right, of } = betOf(epsilon);
    expect(right / of).toBeGreaterThanOrEqual(1 / (1 + Math.exp(-epsilon)) - 1e-12);
  }
  expect([0.05, 0.1, 0.5, 1, 2, 5, 9].map(strengthOf)).toEqual([0, 0, 1, 2, 3, 4, 5]);
  expect(outOf(1)).toEqual({ right: 999_999, of: 1_000_000 });
  expect(outOf(0)).toEqual({ right: 1, of: 1_000_000 });
  expect(seenOf(0.8)).toEqual({ right: 8, of: 10 });
  expect(fitsOf(0.51, 0.0042)).toEqual({ of: 1000, own: 510, other: 4 });
});

test("the dashboard knows a plan by its address", () => {
  expect(planIn("#plan?kind=choice&answers=3")).toBe("kind=choice&answers=3");
  expect(placeOf("#plan?kind=choice").key).toBe("");
  for (const hash of ["", "#", "#plan", `#${"0".repeat(64)}`, "#x#plan?a=1"]) {
    expect(planIn(hash)).toBeNull();
  }
});

test("a plan's wishes are sent as its query has them", () => {
  for (let times = 0; times < 200; times++) {
    const wishes = drawnWishes();
    const query = queryOf(wishes) as string;
    const sent = wishesIn(query);
    expect(sent["kind"]).toBe(wishes.kind);
    for (const field of [...OWN[wishes.kind], ...furtherOf(wishes.kind, isMean(wishes))]) {
      const value = sent[field === "most_each" ? "most" : field];
      if (value === undefined) continue;
      const { form } = FIELDS[field];
      const type = { flag: "boolean", decimal: "string", finding: "string", sizes: "object" };
      expect(typeof value, field).toBe((type as Record<string, string>)[form] ?? "number");
      expect(Number.isNaN(value)).toBe(false);
    }
  }
});

test("the form of a plan asks for its words alone", () => {
  const settled = settledBy("kind=choice&answers=3&epsilon=1&error=0.02") as Settled;
  const form: Form = { ...formFor(settled), question: "Which?", name: "tea", answers: "a\nb" };
  expect(plannedOf(form, settled)).toBe("answers");
  expect(plannedOf(standIn(form, settled), settled)).toMatchObject({ answers: ["#1", "#2", "#3"] });
  expect(plannedOf({ ...form, answers: "a\nb\nc" }, settled)).toEqual({
    plan: { kind: "choice", answers: 3, epsilon: 1, error: 0.02 },
    name: "tea",
    question: "Which?",
    answers: ["a", "b", "c"],
    window: null,
    minimum_reports: 100,
    keeps_reports: false,
    invited: false,
  });
  expect(settledBy("kind=joint&epsilon=1&error=0.01")).toBeNull();
  expect(settledBy("kind=constructor")).toBeNull();
  const states = settledBy("kind=stream&rounds=24&people=9&epsilon=1") as Settled;
  expect(plannedOf(standIn(formFor(states), states), states)).toMatchObject({ window: 86_400 });
  const again = settledBy("kind=choice&answers=2&visits=52&people=9&epsilon=1") as Settled;
  expect(again.isRepeated).toBe(true);
  const several = settledBy("kind=questions&sizes=3,2&people=9&epsilon=1") as Settled;
  const numbered = plannedOf(standIn(formFor(several), several), several);
  expect(numbered).toMatchObject({ questions: [{ name: "#1" }, { answers: ["#1", "#2"] }] });
  const swapped = standIn(formFor(several), { ...several, sizes: [2, 3] });
  expect(plannedOf(swapped, several)).toBe("questions");
});

test("what a form asks for can be planned", () => {
  const asked = ["choice", "several", "questions", "number", "text", "states"] as const;
  for (const asks of asked) {
    const address = planAddress({ ...asking(BLANK, asks), answers: "a\nb\nc\nd" });
    const { wishes, strange } = readQuery(address.replace("/plan?", ""));
    expect(strange, address).toEqual([]);
    const kind: Kind = asks === "states" ? "stream" : asks;
    expect(wishes).toMatchObject({ kind, found: "error" });
    expect(wishes.values).toMatchObject({ people: "1000", epsilon: "1" });
  }
});
