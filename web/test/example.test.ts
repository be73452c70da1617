/** The example of docs/reference/browser.md, run. */

import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { expect, test } from "vitest";

import { Collection, Device, Diary, Memory, PlainSecret } from "../src/device";
import { conclude, odds, toNumber } from "../src/device";
import { readJson, utf8 } from "./files";

const [tea] = readJson<{ document: string; key: string }[]>("test/fixtures/collections.json") as [
  { document: string; key: string },
];

test("the example on the page", async () => {
  const data = utf8(tea.document);
  const agreedKey = tea.key;
  const kept = new Memory();

  const collection = Collection.readPinned(data, agreedKey);
  const known = kept.getItem("secret");
  const secret = known ? hexToBytes(known) : PlainSecret.fresh();
  if (!known) kept.setItem("secret", bytesToHex(secret));

  const device = new Device(new PlainSecret(secret), new Diary(kept));
  const { id, record } = await device.report(collection, "green");

  const { truth, other } = odds(collection.mechanism);
  const { posterior, ratio } = conclude(collection, record);

  expect([id.length, record.length]).toEqual([16, 1]);
  expect(toNumber(truth) + 2 * toNumber(other)).toBeCloseTo(1, 12);
  expect(Math.max(...posterior)).toBeCloseTo(toNumber(truth), 12);
  expect(ratio).toBeCloseTo(Math.exp(collection.epsilon), 9);
  expect(bytesToHex(secret)).toBe(kept.getItem("secret"));
});
