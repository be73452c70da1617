/** Text of strangers, as Python shows it: the vectors of both. */

import { expect, test } from "vitest";

import { words as dashboard } from "../src/dashboard/language/en";
import { Problem } from "../src/collector/problem";
import { reasonText } from "../src/page/reason";
import { isolated, visible } from "../src/page/strangers";
import { readJson } from "./files";

interface Golden {
  readonly texts: readonly { readonly text: string; readonly visible: string }[];
}

const { texts } = readJson<Golden>("../tests/golden/visible.json");
const UNSEEN = /\p{Cc}|\p{Bidi_Control}|\p{Zl}|\p{Zp}|\p{Cs}/u;

test.each(texts)("$visible", ({ text, visible: shown }) => {
  expect(visible(text)).toBe(shown);
  expect(visible(shown)).toBe(shown);
  expect(isolated(text)).toBe(`\u2068${shown}\u2069`);
});

test("no control, no end of a line and no change of direction is left, and no other letter lost", () => {
  for (let code = 0; code < 0x11_0000; code++) {
    const letter = String.fromCodePoint(code);
    const shown = visible(letter);
    if (UNSEEN.test(letter)) expect(shown).toMatch(/^<U\+[0-9A-F]{4}>$/);
    else if (shown !== letter) expect(shown).toMatch(/^<U\+(200B|20[0-9A-F]{2}|FEFF|FFF[9AB])>$/);
  }
});

test("a collector's own words turn nothing around them", () => {
  const problem = new Problem(400, "something_new", "so\u202e\u001b[2K");
  expect(dashboard.failed(reasonText(dashboard, problem))).toBe(
    "That didn’t work: \u2068so<U+202E><U+001B>[2K\u2069",
  );
});

const SHOWN = import.meta.glob<string>(
  ["../src/**/*.tsx", "!../src/page/frame.tsx"], // whose names of languages are ours
  { eager: true, query: "?raw", import: "default" },
);

test("no name, question, label or sentence of a collector stands on a page as it came", () => {
  // Not of an attribute (`text={label}`), of a template (`${key}`) or of our own words.
  const bare =
    /(?<![=$])\{(?!words\.)[\w.]*\b(name|question|label|answer|candidate|state|message|promise|odds|kept|key)\}/g;
  const found = Object.entries(SHOWN).flatMap(([path, source]) =>
    [...source.matchAll(bare)].map(([text]) => `${path}: ${text}`),
  );
  expect(Object.keys(SHOWN).length).toBeGreaterThan(15);
  expect(found).toEqual([]);
});
