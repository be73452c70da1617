/** What the source must not contain. */

import { readdirSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

const SOURCE = new URL("../src/", import.meta.url);
const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf-8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, source: readFileSync(new URL(path, SOURCE), "utf-8") }));
const CODE = ({ source }: { source: string }): string =>
  source.replace(/\b0x\w+|\/\*[\s\S]*?\*\/|\/\/.*|"[^"\n]*"|`[^`]*`|\/\^.*\$\/|\/\\p.*\/u/g, "");

// From an answer to its report. The others show odds, compute ε and read documents.
const PATH = ["borappor", "categories", "coins", "continual", "device", "glance", "grr", "harmony"]
  .concat([
    "integers",
    "kshot",
    "packed",
    "points",
    "rappor",
    "secret",
    "strings",
    "subset",
    "unary",
    "words",
  ])
  .map((name) => `device/${name}.ts`);

test("nothing asks Math.random", () => {
  expect(FILES.length).toBeGreaterThan(15);
  for (const { path, source } of FILES) {
    expect(source.includes("Math" + ".random"), path).toBe(false);
    expect(/\bMath\s*\[/.test(source), path).toBe(false);
  }
});

test("nothing leaves the page: the device neither fetches nor stores by itself", () => {
  for (const file of FILES.filter(({ path }) => path.startsWith("device/"))) {
    expect(CODE(file), file.path).not.toMatch(
      /\bfetch\(|XMLHttpRequest|sendBeacon|console\.|window\./,
    );
  }
});

test("no floating point between an answer and its report", () => {
  const path = FILES.filter(({ path }) => PATH.includes(path));
  expect(path.length).toBe(PATH.length);
  for (const file of path) {
    const code = CODE(file);
    const names = Array.from(code.matchAll(/\bMath\.(\w+)/g), ([, name]) => name);
    expect(
      names.filter((name) => name !== "min" && name !== "max"),
      file.path,
    ).toEqual([]);
    expect(code, file.path).not.toMatch(/\d\.\d|\de-?\d|parseFloat|Float(32|64)|\bNaN\b/);
    // The one division is that of a multiple by its divisor.
    const divisions = code.split("\n").filter((line) => / \/ /.test(line));
    expect(
      divisions.filter((line) => !/\/ 2n/.test(line)),
      file.path,
    ).toEqual(file.path === "device/integers.ts" ? ["  return (a - (a % b)) / b;"] : []);
  }
});

test("the pages ask which kind a question is in one place each", () => {
  const asking = FILES.filter(
    ({ path, source }) =>
      !/^device\/|language\//.test(path) &&
      /\b(over_time|free_text|freeText)\b|(?<!words\.)\boverTime\b/.test(source),
  );
  const places = ["collector/api.ts", "dashboard/kinds/index.ts", "survey/kinds/index.ts"];
  expect(asking.map(({ path }) => path).sort()).toEqual(places);
});

test("only the kinds ask which mechanism a question has", () => {
  for (const { path, source } of FILES) {
    const isKind = /^device\/|\/kinds\/|^page\/wording/.test(path);
    if (!isKind)
      expect(source, path).not.toMatch(
        /instanceof (Continual|Glance|Grr|Loloha|Points|Rappor|SubsetSelection|Unary)/,
      );
  }
});

test("no module is long", () => {
  for (const { path, source } of FILES) {
    expect(source.split("\n").length, path).toBeLessThanOrEqual(800);
  }
});
