/** Which window and which round it is: as Python says it. */

import { expect, test } from "vitest";

import { Collection } from "../src/device/collection";
import { momentOf } from "../src/device/windows";
import { readJson, utf8 } from "./files";

interface Known {
  readonly document: string;
  readonly moments?: { now: number; window: number; number: number | null; ends: number }[];
}

const KNOWN = readJson<Known[]>("test/fixtures/collections.json").map((known) => ({
  ...known,
  collection: Collection.read(utf8(known.document)),
}));

test("windows and rounds are Python's", () => {
  const shapes = new Set<boolean>();
  for (const { collection, moments } of KNOWN) {
    for (const { now, ...moment } of moments ?? []) {
      shapes.add(collection.overTime);
      expect(momentOf(collection, now)).toEqual(moment);
    }
  }
  expect(shapes).toEqual(new Set([false, true]));
});

test("before the first window there is none, and without windows there is one", () => {
  for (const { collection, moments } of KNOWN) {
    if (moments) {
      const before = (collection.windows?.start as number) - 0.001;
      expect(momentOf(collection, before)).toBeNull();
    } else if (!collection.windows) {
      expect(momentOf(collection, 0)).toEqual({ window: 0, number: null, ends: null });
    }
  }
});
