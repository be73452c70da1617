/** Names of files and addresses, by the vectors that Python follows too. */

import { expect, test } from "vitest";

import { hashOf, placeOf } from "../src/dashboard/address";
import { fileStem } from "../src/dashboard/file_name";
import { readJson } from "./files";

interface Case {
  readonly name: string;
  readonly start: number | null;
  readonly seconds: number | null;
  readonly window: number | "all";
  readonly now: number;
  readonly stem: string;
}

const { names } = readJson<{ names: readonly Case[] }>("../tests/golden/file_names.json");

test.each(names)("$stem", ({ name, start, seconds, window, now, stem }) => {
  const schedule = start === null || seconds === null ? null : { start, seconds };
  const key = "0123456789abcdef".repeat(4);
  expect(fileStem({ name, key, schedule }, window, now)).toBe(
    stem.replace("KEY", key.slice(0, 12)),
  );
});

test("an address names a collection and a window, and nothing else", () => {
  for (const window of ["latest", "all", "0", "41"]) {
    expect(placeOf(hashOf({ key: "abc", window }))).toEqual({ key: "abc", window });
  }
  expect(hashOf({ key: "abc", window: "latest" })).toBe("#abc");
  expect(placeOf("")).toEqual({ key: "", window: "latest" });
  for (const odd of ["#abc/", "#abc/-1", "#abc/x?token=1", "#abc/1.5", "#abc/9999999999999999"]) {
    expect(placeOf(odd)).toEqual({ key: "abc", window: "latest" });
  }
});
