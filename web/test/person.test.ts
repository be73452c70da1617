/** A person at a browser: one answer each time, paid for before it is sent, and never kept. */

import { afterEach, expect, test, vi } from "vitest";

import {
  BudgetExceeded,
  Collection,
  Memory,
  momentOf,
  toNumber,
  type Moment,
  type Windows,
} from "../src/device";
import { Answered, Person, alone, type Sent } from "../src/survey/person";
import { isHostedElsewhere, placeOf } from "../src/survey/place";
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

afterEach(() => {
  vi.useRealTimers();
});

/** The window and the round of a moment (Unix time) that has come. */
function momentAt(collection: Collection, now: number): Moment {
  vi.setSystemTime(1000 * now);
  return momentOf(collection, now) as Moment;
}

/** The answer in a window of the daily question, as it is sent. */
async function answered(person: Person, window: number): Promise<Sent> {
  const { start, seconds } = DAILY.windows as Windows;
  const moment = momentAt(DAILY, start + window * seconds + 5);
  return (await person.answer(DAILY, moment, "green")) as Sent;
}

test("one answer, and the same report until it is settled", async () => {
  const keeper = new Open();
  const person = new Person(keeper);
  expect(person.sent(TEA.key)).toBeNull();
  const sent = await person.answer(TEA, ONLY, "green");
  expect(person.sent(TEA.key)).toEqual(sent);
  expect(sent).toMatchObject({ window: 0, settled: false });
  expect(toNumber(person.ledger.spent(TEA.key))).toBe(TEA.epsilon);
  await expect(person.answer(TEA, ONLY, "black")).rejects.toThrow(Answered);
  expect(new Person(keeper).sent(TEA.key)).toEqual(sent);
  expect(person.unsettled(TEA.key)).toEqual([sent]);
  person.settle(TEA.key, sent?.id as string, "counted");
  expect(person.sent(TEA.key)).toEqual({ ...sent, settled: true, fate: "counted" });
  expect(person.unsettled(TEA.key)).toEqual([]);
});

test("every report that was paid for is kept until it is settled, whatever comes after it", async () => {
  const keeper = new Memory();
  const sent: Sent[] = [];
  for (const window of [0, 1, 2, 3]) sent.push(await answered(new Person(keeper), window));
  const person = new Person(keeper); // the page is opened again
  expect(person.unsettled(DAILY.key)).toEqual(sent);
  expect(toNumber(person.ledger.spent())).toBeCloseTo(4 * DAILY.epsilon, 12);
  const [first, second, third, last] = sent as [Sent, Sent, Sent, Sent];
  person.settle(DAILY.key, second.id, "counted");
  expect(person.unsettled(DAILY.key)).toEqual([first, third, last]);
  person.settle(DAILY.key, last.id, "counted"); // it is shown on, but not sent again
  expect(person.unsettled(DAILY.key)).toEqual([first, third]);
  expect(person.sent(DAILY.key)).toEqual({ ...last, settled: true, fate: "counted" });
  person.settle(DAILY.key, second.id, "counted"); // by another tab, say
  const next = await answered(person, 4);
  expect(person.unsettled(DAILY.key)).toEqual([first, third, next]);
  for (const { id } of [first, next, third]) person.settle(DAILY.key, id, "counted");
  expect(person.unsettled(DAILY.key)).toEqual([]);
  expect(person.sent(DAILY.key)).toEqual({ ...next, settled: true, fate: "counted" });
  expect(JSON.parse(keeper.getItem(`sudare sent ${DAILY.key}`) as string)).toHaveLength(1);
  expect(await person.isSound(DAILY.key)).toBe(true);
});

test.each([false, true])(
  "what a page of before kept is read: one report, settled %s",
  async (settled) => {
    const keeper = new Memory();
    const before = { window: 0, number: null, id: "00".repeat(16), record: "02", settled };
    keeper.setItem(`sudare sent ${DAILY.key}`, JSON.stringify(before));
    const person = new Person(keeper);
    expect(await person.isSound(DAILY.key)).toBe(true);
    expect(person.sent(DAILY.key)).toEqual(before);
    expect(person.unsettled(DAILY.key)).toEqual(settled ? [] : [before]);
    const sent = await answered(person, 1);
    expect(person.unsettled(DAILY.key)).toEqual(settled ? [sent] : [before, sent]);
    expect(person.sent(DAILY.key)).toEqual(sent);
  },
);

test("the answer itself is kept nowhere", async () => {
  const keeper = new Open();
  await new Person(keeper).answer(WORDS, ONLY, "Zanzibar rooibos");
  expect(keeper.all.size).toBe(3); // the secret, the ledger, what was sent
  expect(JSON.stringify([...keeper.all])).not.toMatch(/Zanzibar|rooibos/);
});

test("kept noise is paid for by the answer, in a window once", async () => {
  const windows = { ...(JSON.parse(WORDS_DOCUMENT) as object), windows: { start: 0, seconds: 6 } };
  const words = Collection.read(utf8(JSON.stringify(windows)));
  const person = new Person(new Memory());
  for (const window of [0, 1]) {
    const moment = momentAt(words, 6 * window);
    await person.answer(words, moment, "rooibos");
    expect(person.hasAnswered(words, moment)).toBe(true);
    await expect(person.answer(words, moment, "rooibos")).rejects.toThrow(Answered);
  }
  const spent = toNumber(person.ledger.spent());
  expect(spent).toBeGreaterThan(words.epsilon);
  expect(spent).toBeLessThan(2 * words.epsilon);
});

test("each window is answered once, and paid for", async () => {
  const person = new Person(new Memory());
  const { start, seconds } = DAILY.windows as Windows;
  for (const window of [0, 1, 2]) {
    const moment = momentAt(DAILY, start + window * seconds + 5);
    expect(person.hasAnswered(DAILY, moment)).toBe(false);
    expect((await person.answer(DAILY, moment, "green"))?.window).toBe(window);
    expect(person.hasAnswered(DAILY, moment)).toBe(true);
  }
  expect(toNumber(person.ledger.spent())).toBeCloseTo(3 * DAILY.epsilon, 12);
});

test("over time one report leaves in each window, which is paid for once", async () => {
  const person = new Person(new Memory());
  const { start, seconds } = STREAM.windows as Windows;
  const rounds = (STREAM.mechanism as unknown as { rounds: number }).rounds;
  let reports = 0;
  for (let number = 1; number <= rounds; number++) {
    const moment = momentAt(STREAM, start + ((number - 0.5) * seconds) / rounds);
    expect(moment.number).toBe(number);
    if ((await person.answer(STREAM, moment, "on")) !== null) reports += 1;
    await expect(person.answer(STREAM, moment, "off")).rejects.toThrow(Answered);
  }
  expect(reports).toBe(1);
  expect(toNumber(person.ledger.spent(STREAM.key))).toBe(STREAM.epsilon);
});

test("beyond the cap nothing is made or kept", async () => {
  const keeper = new Open();
  const person = new Person(keeper);
  person.setCap(TEA.epsilon / 2);
  await expect(person.answer(TEA, ONLY, "no such tea")).rejects.toThrow(/not one of/);
  const before = new Map(keeper.all);
  await expect(person.answer(TEA, ONLY, "green")).rejects.toThrow(BudgetExceeded);
  expect(keeper.all).toEqual(before);
  person.setCap(null);
  await expect(person.answer(TEA, ONLY, "no such tea")).rejects.toThrow(/not one of/);
  expect(toNumber(person.ledger.spent())).toBe(0);
});

test("notes that were changed are noticed", async () => {
  for (const name of ["ledger", `sent ${TEA.key}`, `last round ${TEA.key}`]) {
    const keeper = new Memory();
    const person = new Person(keeper);
    await person.answer(TEA, ONLY, "green");
    expect(await person.isSound(TEA.key)).toBe(true);
    for (const changed of ['{"id": 1}', "null", '[{"id": 1}]', "[[]]", "["]) {
      keeper.setItem(`sudare ${name}`, changed);
      expect(await person.isSound(TEA.key), `${name} ${changed}`).toBe(false);
    }
  }
});

test("answers that are given at once are given one after the other", async () => {
  const person = new Person(new Memory());
  const both = ["green", "black"].map((tea) => alone(() => person.answer(TEA, ONLY, tea)));
  const [first, second] = await Promise.allSettled(both);
  expect(first?.status).toBe("fulfilled");
  expect(second).toMatchObject({ status: "rejected", reason: expect.any(Answered) });
  expect(toNumber(person.ledger.spent())).toBe(TEA.epsilon);
});

const HERE = { origin: "https://host.example", pathname: `/s/${TEA.key}`, hash: "" };

test("a collector's page asks the collector, for the key in its path", () => {
  const place = placeOf(HERE, null);
  expect(place).toMatchObject({ collector: HERE.origin, key: TEA.key, invitation: "" });
  expect(isHostedElsewhere(place)).toBe(false);
  for (const pathname of ["/", "/s/", "/s/a/b", `/x/s/${TEA.key}`]) {
    expect(placeOf({ ...HERE, pathname }, null).key, pathname).toBe("");
  }
  // Nothing in a link sends a collector's page to another collector, or to another question.
  const hash = "#key=other&collector=https://other.example";
  expect(placeOf({ ...HERE, hash }, null)).toEqual(place);
});

test("a page hosted elsewhere asks the one collector that it was written for", () => {
  const hash = `#key=${TEA.key}&invitation=abc&collector=https://other.example`;
  for (const pathname of ["/", "/deep/down/index.html", "/s/other"]) {
    const place = placeOf({ ...HERE, pathname, hash }, "https://collector.example");
    expect(place).toEqual({
      host: "https://host.example",
      collector: "https://collector.example",
      key: TEA.key,
      invitation: "abc",
    });
    expect(isHostedElsewhere(place)).toBe(true);
  }
  expect(placeOf(HERE, "https://collector.example").key).toBe("");
});

test("an invitation stands after the #, and is a header or nothing", () => {
  const invitationOf = (hash: string): string => placeOf({ ...HERE, hash }, null).invitation;
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
