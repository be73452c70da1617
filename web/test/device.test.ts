/** Devices: a secret gives the same permanent parts as in Python. */

import { bytesToHex } from "@noble/hashes/utils.js";
import { afterEach, describe, expect, test, vi } from "vitest";

import { Collection, type Answer, type Windows } from "../src/device/collection";
import { Device } from "../src/device/device";
import { Diary, Memory, type Keeper } from "../src/device/diary";
import { InvalidAnswer, Refused, RoundPassed, ScriptExhausted } from "../src/device/errors";
import type { Continual } from "../src/device/continual";
import { toNumber } from "../src/device/fractions";
import type { Loloha } from "../src/device/loloha";
import { Rappor } from "../src/device/rappor";
import { KeySecret, PlainSecret } from "../src/device/secret";
import type { Digest } from "../src/device/strings";
import { ScriptedWords } from "../src/device/words";
import { readJson, script, utf8 } from "./files";

interface Known {
  readonly document: string;
  readonly reports?: { answer: Answer; script: string[]; record: string }[];
  readonly permanent?: { answer: string; cohort: number; bits: string[] }[];
  readonly cells?: { answer: string; seed: number; cell: number; told: number }[];
  readonly plans?: { rounds: number[]; heard: number[]; noise: number[]; ids: string[] }[];
  readonly truth?: string;
}

const KNOWN = readJson<Known[]>("test/fixtures/collections.json").map((known) => ({
  ...known,
  collection: Collection.read(utf8(known.document)),
}));
const BYTES = Uint8Array.from({ length: 32 }, (_, i) => i);
const SECRET = new PlainSecret(BYTES);
const device = new Device(SECRET);
const STREAMS = KNOWN.filter(({ plans }) => plans);

afterEach(() => {
  vi.useRealTimers();
});

describe("reports", () => {
  const reports = KNOWN.flatMap(({ collection, reports }) =>
    (reports ?? []).map((report) => ({ collection, ...report })),
  );

  test("there are some of every mechanism that is asked once", () => {
    const names = new Set(reports.map(({ collection }) => collection.mechanism.name));
    const asked = ["grr", "oue", "sue", "subset", "set", "window", "wave", "projective"];
    const others = ["hadamard", "olh", "loloha", "rappor", "sample", "split", "joint"];
    expect(names).toEqual(new Set([...asked, ...others]));
  });

  test.each(reports)("%# are Python's", async ({ collection, answer, script: numbers, record }) => {
    const words = new ScriptedWords(script(numbers));
    const made = await device.report(collection, answer, { fresh: words });
    expect(bytesToHex(made.record)).toBe(record);
    expect(words.used).toBe(numbers.length);
    expect(made.id.length).toBe(16);
    if (numbers.length > 0) {
      const short = new ScriptedWords(script(numbers.slice(0, -1)));
      const told = device.report(collection, answer, { fresh: short });
      await expect(told).rejects.toThrow(ScriptExhausted);
    }
  });

  test("have an id of their own each", async () => {
    const { collection } = KNOWN[0] as (typeof KNOWN)[number];
    const made = Array.from({ length: 100 }, () => device.report(collection, "green"));
    const ids = (await Promise.all(made)).map(({ id }) => bytesToHex(id));
    expect(new Set(ids).size).toBe(100); // two alike: a chance of 10^-34
  });

  test("of an unknown answer or of a stream are refused", async () => {
    const { collection } = KNOWN[0] as (typeof KNOWN)[number];
    await expect(device.report(collection, "coffee")).rejects.toThrow(InvalidAnswer);
    await expect(
      device.report((STREAMS[0] as (typeof KNOWN)[number]).collection, "on"),
    ).rejects.toThrow(/use observe/);
    await expect(device.observe(collection, 1, 0)).rejects.toThrow(/has no rounds/);
  });
});

describe("what is kept for good", () => {
  const kept = KNOWN.flatMap(({ collection, permanent }) =>
    (permanent ?? []).map((known) => ({ collection, ...known })),
  );

  test.each(kept)("%# is Python's", async ({ collection, answer, cohort, bits }) => {
    const mechanism = collection.mechanism as Rappor;
    const value = collection.encode(answer) as number | Digest;
    const found = await device.permanent(collection, mechanism, value);
    expect(Array.from(found.assigned)).toEqual([cohort]);
    expect(Array.from(found.kept)).toEqual(script(bits));
    const inKey = new Device(new KeySecret(await KeySecret.of(BYTES)));
    expect(await inKey.permanent(collection, mechanism, value)).toEqual(found);
    const other = new Device(new PlainSecret(BYTES.map((byte) => byte ^ 1)));
    expect(await other.permanent(collection, mechanism, value)).not.toEqual(found);
  });

  const cells = KNOWN.flatMap(({ collection, cells }) =>
    (cells ?? []).map((known) => ({ collection, ...known })),
  );

  test.each(cells)("cell %# is Python's", async ({ collection, answer, seed, cell, told }) => {
    const mechanism = collection.mechanism as Loloha;
    const number = collection.encode(answer) as number;
    const found = await device.permanent(collection, mechanism, number);
    expect([Array.from(found.assigned), Array.from(found.kept)]).toEqual([[seed], [told]]);
    expect(mechanism.cell(seed, number)).toBe(cell);
  });

  test("cells are shared by answers, and told as others", () => {
    expect(new Set(cells.map(({ cell }) => cell)).size).toBeLessThan(cells.length);
    expect(cells.some(({ cell, told }) => cell !== told)).toBe(true);
  });

  test("covers texts and numbered answers", () => {
    const shapes = kept.map(({ collection }) => (collection.mechanism as Rappor).hashes);
    expect(new Set(shapes)).toEqual(new Set([0, 1, 4]));
  });
});

describe.each(STREAMS)("over time, $collection.name", (known) => {
  const plans = known.plans as NonNullable<Known["plans"]>;
  const { collection } = known;
  const mechanism = collection.mechanism as Continual;
  const { rounds } = mechanism;

  test("rounds, what is looked at and added, and ids are Python's", async () => {
    expect(new Set(plans.flatMap(({ noise }) => noise))).toEqual(new Set([0, 1]));
    const inKey = new Device(new KeySecret(await KeySecret.of(BYTES)));
    for (const [window, wanted] of plans.entries()) {
      for (const each of [device, inKey]) {
        const plan = await each.plan(collection, window);
        expect(Array.from(plan.rounds)).toEqual(wanted.rounds);
        expect(Array.from(plan.heard)).toEqual(wanted.heard);
        expect(Array.from(plan.noise)).toEqual(wanted.noise);
        expect(wanted.rounds.length).toBe(mechanism.reportsEach);
        for (const [at, round] of wanted.rounds.entries()) {
          const id = await each.reportId(collection, window * rounds + round);
          expect(bytesToHex(id)).toBe(wanted.ids[at]);
        }
      }
    }
  });

  test("the truth is as likely as in Python", () => {
    const { top, bottom } = mechanism.truth;
    expect(`${top}/${bottom}`).toBe(known.truth);
  });

  test("a device speaks in its rounds, and says its state or the other one", async () => {
    const fresh = new Device(SECRET);
    for (let number = 1; number <= plans.length * rounds; number++) {
      const state = number % 2 === 0 ? "on" : 0; // by its label, or its number
      const report = await fresh.observe(collection, number, state);
      const window = Math.floor((number - 1) / rounds);
      const plan = plans[window] as (typeof plans)[number];
      const round = number - window * rounds;
      const at = plan.rounds.indexOf(round);
      if (at < 0) expect(report).toBeNull();
      else {
        const held = state === "on" ? 1 : 0;
        const bit = (held & (plan.heard[at] as number)) ^ (plan.noise[at] as number);
        expect(report?.window).toBe(window);
        expect(bytesToHex(report?.id as Uint8Array)).toBe(plan.ids[at]);
        expect(mechanism.readReport(report?.record as Uint8Array)).toEqual({ round, bit });
      }
    }
  });

  test("a round is told once, also by a page that was opened again", async () => {
    const kept = new Memory();
    await new Device(SECRET, new Diary(kept)).observe(collection, 3, "on");
    const again = new Device(SECRET, new Diary(kept));
    await expect(again.observe(collection, 3, "off")).rejects.toThrow(RoundPassed);
    await expect(again.observe(collection, 2, "off")).rejects.toThrow(/round 3 was the last one/);
    await again.observe(collection, 4, "off");
    expect(new Diary(kept).last(collection.key)).toBe(4);
  });

  test("a round is told once, also if it is asked for twice at the same time", async () => {
    const twice = new Device(SECRET, new Diary(new Memory()));
    const told = [twice.observe(collection, 3, "on"), twice.observe(collection, 3, "off")];
    const [first, second] = await Promise.allSettled(told);
    expect([first?.status, second?.status]).toEqual(["fulfilled", "rejected"]);
  });

  test("a wrong state or number is refused before it is noted", async () => {
    const fresh = new Device(SECRET, new Diary(new Memory()));
    for (const state of ["maybe", "", "2", "00", "1 ", 2, -1, 0.5, NaN]) {
      await expect(fresh.observe(collection, 1, state)).rejects.toThrow(InvalidAnswer);
    }
    for (const number of [0, -1, 1.5, 2 ** 53, NaN]) {
      await expect(fresh.observe(collection, number, 1)).rejects.toThrow(
        /^rounds are whole numbers from 1/,
      );
    }
    await expect(fresh.plan(collection, -1)).rejects.toThrow(/^windows are whole numbers from 0/);
    await fresh.observe(collection, 1, 1);
  });

  test("a window is paid for once, however often the device speaks in it", async () => {
    const diary = new Diary(new Memory());
    const fresh = new Device(SECRET, diary);
    for (let number = 1; number <= 2 * rounds; number++) {
      await fresh.observe(collection, number, 1);
      const windows = number > rounds ? 2 : 1;
      expect(toNumber(diary.ledger.spent(collection.key))).toBe(windows * collection.epsilon);
    }
  });

  test("a round or a window that is yet to come silences nobody", async () => {
    const timed = KNOWN.map(({ collection }) => collection).filter(({ windows }) => windows);
    for (const each of timed) {
      const { start, seconds } = each.windows as Windows;
      const fresh = new Device(SECRET, new Diary(new Memory()));
      const tell = (number: number): Promise<unknown> =>
        each.overTime
          ? fresh.observe(each, number + 1, 1)
          : fresh.report(each, "green", { window: number });
      const length = each.overTime ? seconds / (each.mechanism as Continual).rounds : seconds;
      vi.setSystemTime(1000 * (start + 2 * length) - 1);
      for (const number of [2, 3, 1e9])
        await expect(tell(number)).rejects.toThrow(/hasn't begun by the clock/);
      await tell(1);
      vi.setSystemTime(1000 * (start + 2 * length));
      await tell(2);
      vi.setSystemTime(1000 * start - 1);
      await expect(tell(0)).rejects.toThrow(/hasn't begun by the clock/);
    }
    expect(new Set(timed.map(({ overTime }) => overTime))).toEqual(new Set([false, true]));
  });

  test("a diary that can't be read or written stops the device", async () => {
    const observed = (keeper: Keeper) =>
      new Device(SECRET, new Diary(keeper)).observe(collection, 1, 1);
    const broken = { getItem: () => "three", setItem: () => undefined };
    await expect(observed(broken)).rejects.toThrow(/diary was changed/);
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new Error("the quota is used up");
      },
    };
    await expect(observed(full)).rejects.toThrow(/quota/);
  });
});

describe("secrets", () => {
  test("have 32 bytes and are fresh", () => {
    expect(PlainSecret.fresh().length).toBe(32);
    expect(PlainSecret.fresh()).not.toEqual(PlainSecret.fresh());
    for (const length of [0, 31, 33]) {
      expect(() => new PlainSecret(new Uint8Array(length))).toThrow(Refused);
    }
  });

  test("can't be read off a device", () => {
    for (const each of [device, SECRET]) {
      expect(JSON.stringify(each)).toBe("{}");
      expect(Object.keys(each)).toEqual([]);
    }
  });

  test("in a key can be used, and not be read", async () => {
    for (const key of [await KeySecret.fresh(), await KeySecret.of(BYTES)]) {
      expect([key.extractable, key.usages]).toEqual([false, ["sign"]]);
      expect(key.algorithm).toMatchObject({ name: "HMAC", length: 256 });
      for (const format of ["raw", "jwk"] as const) {
        await expect(crypto.subtle.exportKey(format, key)).rejects.toThrow(/extractable/);
      }
    }
    const message = utf8("any");
    const digest = await new KeySecret(await KeySecret.fresh()).digest(message);
    expect(digest).not.toEqual(await new KeySecret(await KeySecret.fresh()).digest(message));
  });
});
