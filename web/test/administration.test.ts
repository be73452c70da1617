/** The administration's own logic: wishes from a form, invitations as links and codes. */

import { encode } from "uqr";
import { expect, test } from "vitest";

import { linkOf, pageOf, pathOf } from "../src/dashboard/administration/invitations";
import {
  BLANK_QUESTION,
  type Wishes,
  BLANK,
  WANTS,
  answersOf,
  asking,
  fieldOf,
  wishesOf,
  type Form,
} from "../src/dashboard/administration/wishes";
import { words as english } from "../src/dashboard/administration/language/en";
import { placeOf } from "../src/survey/place";

const FORM: Form = {
  ...BLANK,
  question: " Which tea? ",
  name: "tea",
  answers: "green\n\n black \r\n",
};

test("a form becomes what the collector is asked for", () => {
  expect(wishesOf(FORM)).toEqual({
    name: "tea",
    question: "Which tea?",
    asks: "choice",
    answers: ["green", "black"],
    most: null,
    step: null,
    found_out: null,
    rounds: null,
    wants: "least_error",
    epsilon: 1,
    lifetime: null,
    window: null,
    minimum_reports: 100,
    keeps_reports: false,
    invited: false,
    people: 1000,
  });
  expect(wishesOf({ ...FORM, hasWindows: true, window: "2", unit: "hours" })).toMatchObject({
    window: 7200,
  });
});

test("what is typed for another kind of question is not sent", () => {
  const text = asking({ ...FORM, lifetime: "3" }, "text");
  expect(wishesOf(text)).toMatchObject({ answers: [], wants: "permanent_noise", lifetime: 3 });
  const changing = { ...FORM, wants: "changing_answers" as const, lifetime: "3" };
  expect(wishesOf(changing)).toMatchObject({ wants: "changing_answers", lifetime: 3 });
  const states = asking(text, "states");
  expect(wishesOf(states)).toMatchObject({
    rounds: 24,
    wants: "least_error",
    lifetime: null,
    window: 86_400,
  });
  expect(wishesOf({ ...asking(FORM, "several"), most: "2" })).toMatchObject({ most: 2 });
  const ages = { ...asking(FORM, "number"), least: "18 ", largest: "99" };
  expect(wishesOf(ages)).toMatchObject({ answers: ["18", "99"], step: "1", most: null });
  expect(wishesOf(ages)).toMatchObject({ found_out: "mean" });
  const spread = { ...ages, foundOut: "distribution" as const };
  expect(wishesOf(spread)).toMatchObject({ found_out: "distribution" });
  expect(wishesOf(asking(spread, "choice"))).toMatchObject({ found_out: null });
  const wide = { ...ages, least: "－５", largest: "４０．５", step: "０．５" };
  expect(wishesOf(wide)).toMatchObject({ answers: ["-5", "40.5"], step: "0.5" });
  expect(wishesOf({ ...ages, least: "100" })).toBe("range");
  expect(wishesOf({ ...ages, least: "x" })).toBe("range");
  expect(wishesOf({ ...ages, largest: "18" })).toBe("range");
  expect(wishesOf({ ...ages, step: "" })).toBe("step");
  expect(wishesOf(asking(states, "choice"))).toMatchObject({ rounds: null, wants: "least_error" });
});

const TEA = { name: "tea", question: "Which tea?", answers: "green\nblack" };
const TOWN = { name: "town", question: "Where?", answers: "Tokyo\nKyoto\n" };

test("several questions each have their answers", () => {
  const form = { ...asking(FORM, "questions"), questions: [TEA, TOWN] };
  const wishes = wishesOf(form);
  expect(wishes).toMatchObject({ asks: "questions", answers: [], most: null });
  expect((wishes as Wishes).questions).toEqual([
    { ...TEA, answers: ["green", "black"] },
    { ...TOWN, answers: ["Tokyo", "Kyoto"] },
  ]);
  for (const questions of [
    [TEA],
    [TEA, TEA],
    [TEA, BLANK_QUESTION],
    [TEA, { ...TOWN, name: " " }],
    [TEA, { ...TOWN, question: "" }],
    [TEA, { ...TOWN, answers: "Tokyo" }],
    [TEA, { ...TOWN, answers: "Tokyo\nTokyo" }],
  ]) {
    expect(wishesOf({ ...form, questions })).toBe("questions");
  }
});

test.each([
  ["question", { question: "  " }],
  ["name", { name: "" }],
  ["answers", { answers: "only one" }],
  ["answers", { answers: "same\nsame" }],
  ["epsilon", { epsilon: "" }],
  ["epsilon", { epsilon: "0" }],
  ["epsilon", { epsilon: "0.000" }],
  ["epsilon", { epsilon: "-1" }],
  ["epsilon", { epsilon: "1e3" }],
  ["epsilon", { epsilon: "." }],
  ["lifetime", { wants: "permanent_noise", lifetime: "0" }],
  ["window", { hasWindows: true, window: "1.5" }],
  ["minimum_reports", { minimum: "0" }],
  ["people", { people: "many" }],
  ["most", { ...asking(FORM, "several"), most: "3" }],
  ["most", { ...asking(FORM, "several"), most: "0" }],
  ["rounds", { ...asking(FORM, "states"), rounds: "" }],
] as const)("the first field that can't be read is %s", (field, part) => {
  expect(wishesOf({ ...FORM, ...(part as Partial<Form>) })).toBe(field);
});

test("numbers are taken as people write them", () => {
  for (const [epsilon, value] of [
    ["2", 2],
    ["0.5", 0.5],
    [".5", 0.5],
    ["2.", 2],
    ["0.05", 0.05],
  ] as const) {
    expect(wishesOf({ ...FORM, epsilon })).toMatchObject({ epsilon: value });
  }
});

test("answers are lines with something on them", () => {
  expect(answersOf(" a b \r\n\r\n\t\nお茶")).toEqual(["a b", "お茶"]);
  expect(answersOf("")).toEqual([]);
});

test("a refusal of the collector has its field, and words for it", () => {
  for (const field of Object.keys(english.refusals)) {
    if (field === "range") continue; // to the collector they are a number's answers
    expect(fieldOf(`draft_${field}`, "choice")).toBe(field);
  }
  expect(fieldOf("draft_answers", "number")).toBe("range");
  expect(fieldOf("draft_keeps_reports", "choice")).toBeNull();
  expect(fieldOf("busy", "choice")).toBeNull();
});

test("every want of a kind has its words", () => {
  for (const want of Object.values(WANTS).flat()) {
    expect(english.wanted[want]).toBeTruthy();
    expect(english.wantedWhy[want]).toBeTruthy();
  }
});

test("the survey page reads an invitation's link, and no server hears of it", () => {
  const link = new URL(linkOf("https://a.example", "f".repeat(64), "0a".repeat(16)));
  expect(`${link.pathname}${link.search}`).not.toContain("0a0a");
  const place = placeOf(link, null);
  expect(place).toMatchObject({ key: "f".repeat(64), invitation: "0a".repeat(16) });
});

test("a list is shown a page at a time", () => {
  const items = Array.from({ length: 25 }, (_, number) => number);
  expect(pageOf(items, 0, 12)).toEqual({ first: 0, items: items.slice(0, 12), last: false });
  expect(pageOf(items, 2, 12)).toEqual({ first: 24, items: [24], last: true });
  expect(pageOf(items.slice(0, 12), 0, 12).last).toBe(true);
});

test("the path of a code covers its dark squares and no others", () => {
  const { data, size } = encode("https://a.example/s/0#invitation=1", { ecc: "M", border: 4 });
  const drawn = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  for (const [, x, y, width] of pathOf(data).matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
    for (let i = 0; i < Number(width); i++) (drawn[Number(y)] as boolean[])[Number(x) + i] = true;
  }
  expect(drawn).toEqual(data);
  expect(data.flat().filter(Boolean).length).toBeGreaterThan(200);
});
