/** Where the secret is kept: in a key if there can be one, and the same noise whatever happens. */

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { expect, test } from "vitest";

import { Memory, Refused, type Keeper, type Secret } from "../src/device";
import { Person } from "../src/survey/person";
import { hasSecret, openSecret, type KeyStore } from "../src/survey/secret";
import { utf8 } from "./files";

const NAME = "sudare secret";
const BYTES = Uint8Array.from({ length: 32 }, (_, i) => 7 * i);
const MESSAGE = utf8("any message");

/** A place for a key that is forgotten with the test; it may fail before or after it has kept one. */
class Keys implements KeyStore {
  key: CryptoKey | null = null;
  saves = 0;

  constructor(readonly fails: "before" | "after" | "never" = "never") {}

  async load(): Promise<CryptoKey | null> {
    return this.key;
  }

  async save(key: CryptoKey): Promise<void> {
    if (this.fails === "before") throw new Error("no keys in a private window");
    this.key = structuredClone(key); // as IndexedDB keeps it
    this.saves += 1;
    if (this.fails === "after") throw new Error("the page was closed");
  }
}

function asText(): Keeper {
  const keeper = new Memory();
  keeper.setItem(NAME, bytesToHex(BYTES));
  return keeper;
}

const digested = async (secret: Secret): Promise<string> =>
  bytesToHex(await secret.digest(MESSAGE));
const OF_BYTES = bytesToHex(hmac(sha256, BYTES, MESSAGE));

test("a fresh secret is a key, which no script has ever seen", async () => {
  const [keeper, keys] = [new Memory(), new Keys()];
  expect(hasSecret(keeper)).toBe(false);
  const first = await digested(await openSecret(keeper, keys));
  expect(keys.key?.extractable).toBe(false);
  expect(keeper.getItem(NAME)).toBe("kept as a key");
  expect(await digested(await openSecret(keeper, keys))).toBe(first);
  expect(keys.saves).toBe(1);
});

test("a secret that was kept as text becomes a key, and the noise stays the same", async () => {
  const [keeper, keys] = [asText(), new Keys()];
  for (const _ of [1, 2]) {
    expect(await digested(await openSecret(keeper, keys))).toBe(OF_BYTES);
    expect(keeper.getItem(NAME)).toBe("kept as a key");
  }
  expect(keys.saves).toBe(1);
  expect(keys.key?.extractable).toBe(false);
});

test("it becomes one when a page is opened, before anything is answered", async () => {
  const [keeper, keys] = [asText(), new Keys()];
  expect(await new Person(keeper, keys).isSound("00")).toBe(true);
  expect(keeper.getItem(NAME)).toBe("kept as a key");
  const nobody = new Memory();
  expect(await new Person(nobody, new Keys()).isSound("00")).toBe(true);
  expect(hasSecret(nobody)).toBe(false); // who only reads the question has no device yet
});

test("a page that ends between two steps repeats the first", async () => {
  const keys = new Keys();
  const stopping = asText();
  const crashing = {
    getItem: (name: string) => stopping.getItem(name),
    setItem: () => {
      throw new Error("the page was closed");
    },
  };
  await expect(openSecret(crashing, keys)).rejects.toThrow(/closed/);
  expect([keys.saves, stopping.getItem(NAME)]).toEqual([1, bytesToHex(BYTES)]);
  expect(await digested(await openSecret(stopping, keys))).toBe(OF_BYTES);
  expect(keys.saves).toBe(2);
});

test("a key that the notes don't speak of is none: who clears them is a new device", async () => {
  const keys = new Keys();
  const before = await digested(await openSecret(asText(), keys));
  const after = await digested(await openSecret(new Memory(), keys));
  expect(after).not.toBe(before);
});

test.each([null, "before", "after"] as const)(
  "where no key can be kept the secret stays text: %s",
  async (fails) => {
    const keys = fails && new Keys(fails);
    const keeper = asText();
    expect(await digested(await openSecret(keeper, keys))).toBe(OF_BYTES);
    expect(keeper.getItem(NAME)).toBe(bytesToHex(BYTES));
    const fresh = new Memory();
    const first = await digested(await openSecret(fresh, keys));
    expect(hexToBytes(fresh.getItem(NAME) as string).length).toBe(32);
    expect(await digested(await openSecret(fresh, keys))).toBe(first);
    // Another day it can, and the noise is the same.
    expect(await digested(await openSecret(fresh, new Keys()))).toBe(first);
  },
);

test("a key that is gone, or a text that was changed, is no new secret", async () => {
  const keeper = new Memory();
  for (const noted of ["kept as a key", "", "00", "zz".repeat(32), "AB".repeat(32)]) {
    keeper.setItem(NAME, noted);
    for (const keys of [new Keys(), null]) {
      await expect(openSecret(keeper, keys), noted).rejects.toThrow(Refused);
      expect(await new Person(keeper, keys).isSound("00"), noted).toBe(false);
      expect(keeper.getItem(NAME)).toBe(noted);
    }
  }
});

test("keys that can't be reached now are no change: the page says so and can try again", async () => {
  const keeper = new Memory();
  keeper.setItem(NAME, "kept as a key");
  const keys = new Keys();
  keys.load = () => Promise.reject(new Error("the disk is busy"));
  await expect(new Person(keeper, keys).isSound("00")).rejects.toThrow(/busy/);
});

test("a page of before can't take the note for a secret", () => {
  expect(() => hexToBytes("kept as a key")).toThrow();
});
