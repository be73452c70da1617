/** A person at a browser: one answer each time, paid for before it is sent, and never kept. */

import { expect, test } from "vitest";

import { BudgetExceeded, Collection, Memory, momentOf, toNumber, type Moment } from "../src/device";
import { invitationOf } from "../src/survey/invitation";
import { Answered, Person } from "../src/survey/person";
import { readJson, utf8 } from "./files";

const DOCUMENTS = readJson<{ document: string }[]>("test/fixtures/collections.json").map(
  ({ document }) => document,
);
const KNOWN = DOCUMENTS.map((document) => Collection.read(utf8(document)));
const found = (test: (collection: Collection) => boolean): Collection =>
  KNOWN.find(test) as Collection;
const TEA = found(({ mechanism }) => mechanism.name === "grr");
const DAILY = found(({ mechanism, windows }) => mechanism.name === "grr" && windows !== null);
const STREAM = found(({ overTime, windows }) => overTime && windows !== null);
const WORDS = found(({ freeText }) => freeText);
const WORDS_DOCUMENT = DOCUMENTS[KNOWN.indexOf(WORDS)] as string;
const ONLY: Moment = { window: 0, number: null, ends: null };

class Open extends Memory {
  readonly all = new Map<string, string>();
  override setItem(name: string, value: string): void {
    super.setItem(name, value);
    this.all.set(name, value);
  }
}

test("one answer, and the same report until it is settled", () => {
  const keeper = new Open();
  const person = new Person(keeper);
  expect(person.sent(TEA.key)).toBeNull();
  const sent = person.answer(TEA, ONLY, "green");
  expect(person.sent(TEA.key)).toEqual(sent);
  expect(sent).toMatchObject({ window: 0, number: null, settled: false });
  expect(toNumber(person.ledger.spent(TEA.key))).toBe(TEA.epsilon);
  expect(() => person.answer(TEA, ONLY, "black")).toThrow(Answered);
  expect(new Person(keeper).sent(TEA.key)).toEqual(sent);
  person.settle(TEA.key, sent as NonNullable<typeof sent>);
  expect(person.sent(TEA.key)).toEqual({ ...sent, settled: true });
});

test("the answer itself is kept nowhere", () => {
  const keeper = new Open();
  new Person(keeper).answer(WORDS, ONLY, "Zanzibar rooibos");
  expect(keeper.all.size).toBe(3); // the secret, the ledger, what was sent
  expect(JSON.stringify([...keeper.all])).not.toMatch(/Zanzibar|rooibos/);
});

test("kept noise is paid for by the answer, in a window once", () => {
  const windows = { ...(JSON.parse(WORDS_DOCUMENT) as object), windows: { start: 0, seconds: 6 } };
  const words = Collection.read(utf8(JSON.stringify(windows)));
  const person = new Person(new Memory());
  for (const window of [0, 1]) {
    const moment = momentOf(words, 6 * window) as Moment;
    person.answer(words, moment, "rooibos");
    expect(person.hasAnswered(words, moment)).toBe(true);
    expect(() => person.answer(words, moment, "rooibos")).toThrow(Answered);
  }
  const spent = toNumber(person.ledger.spent());
  expect(spent).toBeGreaterThan(words.epsilon);
  expect(spent).toBeLessThan(2 * words.epsilon);
});

test("each window is answered once, and paid for", () => {
  const person = new Person(new Memory());
  const start = (DAILY.windows?.start ?? 0) + 5;
  const length = DAILY.windows?.seconds ?? 0;
  for (const window of [0, 1, 2]) {
    const moment = momentOf(DAILY, start + window * length) as Moment;
    expect(person.hasAnswered(DAILY, moment)).toBe(false);
    expect(person.answer(DAILY, moment, "green")?.window).toBe(window);
    expect(person.hasAnswered(DAILY, moment)).toBe(true);
  }
  expect(toNumber(person.ledger.spent())).toBeCloseTo(3 * DAILY.epsilon, 12);
});

test("over time one report leaves in each window, which is paid for once", () => {
  const person = new Person(new Memory());
  const { start, seconds } = STREAM.windows as { start: number; seconds: number };
  const rounds = (STREAM.mechanism as unknown as { rounds: number }).rounds;
  let reports = 0;
  for (let number = 1; number <= rounds; number++) {
    const moment = momentOf(STREAM, start + ((number - 0.5) * seconds) / rounds) as Moment;
    expect(moment.number).toBe(number);
    if (person.answer(STREAM, moment, "on") !== null) reports += 1;
    expect(() => person.answer(STREAM, moment, "off")).toThrow(Answered);
  }
  expect(reports).toBe(1);
  expect(toNumber(person.ledger.spent(STREAM.key))).toBe(STREAM.epsilon);
});

test("beyond the cap nothing is made or kept", () => {
  const keeper = new Open();
  const person = new Person(keeper);
  person.setCap(TEA.epsilon / 2);
  expect(() => person.answer(TEA, ONLY, "no such tea")).toThrow(/not one of/);
  const before = new Map(keeper.all);
  expect(() => person.answer(TEA, ONLY, "green")).toThrow(BudgetExceeded);
  expect(keeper.all).toEqual(before);
  person.setCap(null);
  expect(() => person.answer(TEA, ONLY, "no such tea")).toThrow(/not one of/);
  expect(toNumber(person.ledger.spent())).toBe(0);
});

test("notes that were changed are noticed", () => {
  for (const name of ["ledger", `sent ${TEA.key}`, `last round ${TEA.key}`]) {
    const keeper = new Memory();
    const person = new Person(keeper);
    person.answer(TEA, ONLY, "green");
    expect(person.isSound(TEA.key)).toBe(true);
    keeper.setItem(`sudare ${name}`, '{"id": 1}');
    expect(person.isSound(TEA.key), name).toBe(false);
  }
});

test("an invitation stands after the #, and is a header or nothing", () => {
  expect(invitationOf("#invitation=abc-DEF_123")).toBe("abc-DEF_123");
  for (const none of [
    "",
    "#",
    "#other=1",
    "#invitation=",
    "#invitation=a%0d%0ab",
    "#invitation=é",
  ]) {
    expect(invitationOf(none), none).toBe("");
  }
});
