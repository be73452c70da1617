/** The ledger: the vectors that Python's passes, too; what is kept, and what is refused. */

import { bytesToHex } from "@noble/hashes/utils.js";
import { afterEach, expect, test, vi } from "vitest";

import { Collection } from "../src/device/collection";
import { Device, type Report } from "../src/device/device";
import { Diary, Memory } from "../src/device/diary";
import { InvalidAnswer, Refused, RoundPassed } from "../src/device/errors";
import { exactly, roundDown, roundUp, toNumber, type Fraction } from "../src/device/fractions";
import { BudgetExceeded, Ledger } from "../src/device/ledger";
import { PlainSecret } from "../src/device/secret";
import { readJson, utf8 } from "./files";

interface LedgerStep {
  readonly cap?: number | null;
  readonly charge?: [key: string, epsilon: number, window: number | null];
  readonly keep?: [key: string, answer: string, reports: number, epsilon: number];
  readonly says: string;
  readonly spent: string;
  readonly left: string | null;
}
interface DeviceStep {
  /** By the device's clock, if that matters. */
  readonly now?: number;
  readonly answer?: string;
  readonly window?: number;
  readonly round?: number;
  readonly state?: string | number;
  readonly record?: string;
  readonly says: string;
  readonly spent: string;
}
interface Golden {
  readonly ledgers: readonly {
    about: string;
    cap: number | null;
    steps: readonly LedgerStep[];
    collections: Readonly<Record<string, string>>;
    shown: { readonly spent: number; readonly left: number | null };
  }[];
  readonly devices: readonly {
    about: string;
    cap: number | null;
    document: string;
    steps: readonly DeviceStep[];
  }[];
}

afterEach(() => {
  vi.useRealTimers();
});

const GOLDEN = readJson<Golden>("../tests/golden/ledger.json");

const written = ({ top, bottom }: Fraction): string =>
  bottom === 1n ? `${top}` : `${top}/${bottom}`;

function says(error: unknown): string {
  if (error instanceof BudgetExceeded) return "over budget";
  if (error instanceof RoundPassed) return "passed";
  if (error instanceof InvalidAnswer) return "no answer";
  if (error instanceof Refused) return "invalid";
  throw error;
}

function after(ledger: Ledger, { cap, charge, keep }: LedgerStep): [Ledger, string] {
  try {
    if (cap !== undefined) return [ledger.capped(cap), "done"];
    const made = charge
      ? ledger.charge(...charge)
      : ledger.keep(...(keep as [string, string, number, number]));
    return [made, made === ledger ? "free" : "paid"];
  } catch (error) {
    return [ledger, says(error)];
  }
}

test.each(GOLDEN.ledgers)("$about", ({ cap, steps, collections, shown }) => {
  let ledger = Ledger.EMPTY.capped(cap);
  let said: string;
  for (const step of steps) {
    [ledger, said] = after(ledger, step);
    const { left } = ledger;
    expect([said, written(ledger.spent()), left && written(left)], JSON.stringify(step)).toEqual([
      step.says,
      step.spent,
      step.left,
    ]);
    const keeper = new Memory();
    ledger.save(keeper);
    expect(Ledger.open(keeper)).toEqual(ledger);
  }
  for (const [key, spent] of Object.entries(collections)) {
    expect(written(ledger.spent(key))).toBe(spent);
    expect(ledger.knows(key)).toBe(true);
  }
  const { left } = ledger;
  expect({ spent: roundUp(ledger.spent()), left: left && roundDown(left) }).toEqual(shown);
});

test.each(GOLDEN.devices)(
  "a device charges by itself: $about",
  async ({ cap, document, steps }) => {
    const collection = Collection.read(utf8(document));
    const keeper = new Memory();
    Ledger.EMPTY.capped(cap).save(keeper);
    for (const step of steps) {
      const { now, answer, window, round, state, record } = step;
      if (now !== undefined) vi.setSystemTime(1000 * now);
      // A page that is opened again goes on where it was.
      const secret = new PlainSecret(Uint8Array.from({ length: 32 }, (_, i) => i));
      const device = new Device(secret, new Diary(keeper));
      let said = "told";
      let report: Report | null = null;
      try {
        report =
          answer === undefined
            ? await device.observe(collection, round as number, state as string)
            : await device.report(collection, answer, window === undefined ? {} : { window });
      } catch (error) {
        said = says(error);
      }
      expect([said, written(Ledger.open(keeper).spent())], JSON.stringify(step)).toEqual([
        step.says,
        step.spent,
      ]);
      if (record !== undefined) expect(report && bytesToHex(report.record)).toBe(record);
    }
  },
);

test("what can't be kept is not told", async () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error("the quota is used up");
    },
  };
  const { document } = GOLDEN.devices[0] as { document: string };
  const device = new Device(new PlainSecret(new Uint8Array(32)), new Diary(full));
  await expect(device.report(Collection.read(utf8(document)), "green")).rejects.toThrow(/quota/);
});

test("a page of before noted windows in the ledger only", async () => {
  const found = GOLDEN.devices.find(({ document }) => document.includes("windows")) as {
    document: string;
  };
  const collection = Collection.read(utf8(found.document));
  const keeper = new Memory();
  Ledger.EMPTY.charge(collection.key, collection.epsilon, 3).save(keeper);
  const device = new Device(new PlainSecret(new Uint8Array(32)), new Diary(keeper));
  await expect(device.report(collection, "green", { window: 3 })).rejects.toThrow(RoundPassed);
  await device.report(collection, "green", { window: 4 });
  expect(toNumber(Ledger.open(keeper).spent())).toBe(2 * collection.epsilon);
});

test("sums are shown against the claim", () => {
  const tenth = exactly(0.1);
  expect([roundUp(tenth), roundDown(tenth)]).toEqual([0.1, 0.1]);
  const third = { top: 1n, bottom: 3n };
  expect(roundUp(third)).toBeGreaterThan(roundDown(third));
  expect(roundUp(third) - roundDown(third)).toBe(2 ** -54);
  for (const value of [0, 5e-324, 2 ** -1022, 1, 2 ** 53, 1e300]) {
    expect([roundUp(exactly(value)), roundDown(exactly(value))]).toEqual([value, value]);
  }
  for (const none of [NaN, Infinity]) expect(() => exactly(none)).toThrow(RangeError);
});

test("a refusal says what is spent, asked for and left, and charges nothing", () => {
  const ledger = Ledger.EMPTY.capped(1.5).charge("a", 1, 0);
  const refusal = catching(() => ledger.charge("b", 1, 0));
  expect(refusal).toBeInstanceOf(BudgetExceeded);
  expect(refusal).toMatchObject({ spent: 1, asked: 1, left: 0.5, cap: 1.5 });
  expect(ledger.has("b", 0)).toBe(false);
  expect(ledger.charge("b", 0.5, 0).has("b", 0)).toBe(true);
  expect(catching(() => ledger.capped(0.5).charge("b", 1, 0))).toMatchObject({ left: 0 });
  for (const none of [NaN, Infinity, -1]) {
    expect(() => ledger.capped(none)).toThrow(Refused);
    expect(() => ledger.charge("b", none, 0)).toThrow(Refused);
    expect(() => ledger.charge("b", 0.1, none)).toThrow(Refused);
  }
});

test("what is kept reads back, and what was changed is refused", () => {
  const keeper = new Memory();
  expect(Ledger.open(keeper)).toBe(Ledger.EMPTY);
  const ledger = Ledger.EMPTY.capped(9)
    .charge("a", 0.1, 0)
    .charge("a", 0.1, 1)
    .charge("b", 1, 7)
    .keep("c", "x", 2, 1.5);
  ledger.save(keeper);
  expect(Ledger.open(keeper)).toEqual(ledger);
  const good = keeper.getItem("sudare ledger") as string;
  const changes = [
    "",
    "{}",
    good.slice(1),
    good.replace('"cap":9', '"cap":-9'),
    good.replace('"cap":9', '"cap":"9"'),
    good.replace("[0,2]", "[0,0]"),
    good.replace("[0,2]", "[0,2],[1,1]"),
    good.replace("[0,2]", "[0,1],[1,1]"),
    good.replace('"b"', '"a"'),
    good.replace('"epsilon":1,', '"epsilon":null,'),
    good.replace('"epsilon":1,', '"epsilon":0,'),
    good.replace('"reports":2', '"reports":0'),
    good.replace('"epsilon":1.5', '"epsilon":-1'),
    good.replace('"x"', '""'),
  ];
  for (const changed of changes) {
    expect(changed).not.toBe(good);
    keeper.setItem("sudare ledger", changed);
    expect(() => Ledger.open(keeper), changed).toThrow(/can't be trusted/);
  }
});

function catching(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
