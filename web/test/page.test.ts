/** Numbers and words for people. */

import { expect, test } from "vitest";

import { Collection, Device, Grr, PlainSecret, odds, toNumber } from "../src/device";
import { kindOf as shownAs } from "../src/dashboard/kinds";
import { load as loadDashboard } from "../src/dashboard/language";
import { words as dashboardEn } from "../src/dashboard/language/en";
import { words as dashboardJa } from "../src/dashboard/language/ja";
import type { Estimate, Standing } from "../src/collector/api";
import { Problem } from "../src/collector/problem";
import { LANGUAGE_NAMES, preferred, type Language } from "../src/language";
import { scaleOf } from "../src/page/bars";
import { downTo, grouped, pValue, peopleOf, percent, upTo } from "../src/page/numbers";
import { reasonText } from "../src/page/reason";
import { isolated } from "../src/page/strangers";
import { kindOf } from "../src/survey/kinds";
import { load as loadSurvey } from "../src/survey/language";
import { words as surveyEn } from "../src/survey/language/en";
import { words as surveyJa } from "../src/survey/language/ja";
import { readJson, utf8 } from "./files";

const KNOWN = readJson<{ document: string }[]>("test/fixtures/collections.json").map(
  ({ document }) => Collection.read(utf8(document)),
);

test("what is spent is rounded up, and what is left down", () => {
  for (const value of [0, 1e-7, 0.1, 1 / 3, 0.99999, 1, 1.5, Math.E, 54.598150033144236, 12345.6]) {
    for (const digits of [3, 4]) {
      const [up, down] = [Number(upTo(value, digits)), Number(downTo(value, digits))];
      expect(up).toBeGreaterThanOrEqual(value);
      expect(down).toBeLessThanOrEqual(value);
      expect(up - down).toBeLessThanOrEqual(1.01 * value * 10 ** (1 - digits));
    }
  }
  expect(upTo(Math.E)).toBe("2.719");
  expect(upTo(1.5)).toBe("1.5");
});

test("odds are counts of people that none of them vanishes from", () => {
  for (const { mechanism } of KNOWN) {
    const { truth, other } = odds(mechanism);
    const people = peopleOf({ truth, other });
    expect(Math.abs(people.truth / people.of - toNumber(truth))).toBeLessThan(0.51 / people.of);
    expect(people.other).toBeGreaterThan(0);
    expect(people.truth).toBeLessThan(people.of);
    expect(people.truth).toBeGreaterThan(people.other);
  }
});

test("odds and reports have words in every language", async () => {
  for (const words of [surveyEn, surveyJa]) {
    const device = new Device(new PlainSecret(PlainSecret.fresh()));
    for (const collection of KNOWN) {
      const kind = kindOf(collection);
      const people = peopleOf(odds(collection.mechanism));
      const answer = collection.answers[1] ?? "tea";
      const text = kind.odds(words, collection, answer);
      for (const number of [people.of, people.truth, people.other]) {
        expect(text).toContain(`${number}`);
      }
      if (collection.overTime) continue;
      const { record } = await device.report(collection, answer);
      const said = kind.report(words, collection, record);
      const { mechanism } = collection;
      if (mechanism instanceof Grr) {
        expect(said).toContain(collection.answers[mechanism.readReport(record)]);
      } else if (!collection.freeText && ![words.saysAll, words.saysNone].includes(said)) {
        for (const label of collection.answers) expect(said).toContain(words.says(isolated(label)));
      }
    }
  }
});

test("both pages promise the same", () => {
  for (const collection of KNOWN) {
    const { overTime, freeText } = collection;
    const shown = shownAs({ over_time: overTime, free_text: freeText } as Standing);
    const asked = kindOf(collection);
    expect(shown.promise(dashboardEn, collection)).toBe(asked.promise(surveyEn, collection));
    expect(shown.odds(dashboardJa, collection)).toBe(asked.odds(surveyJa, collection));
  }
});

test("a kind that the dashboard doesn't know is none of those that it knows", () => {
  const standing = (over_time: boolean, free_text: boolean): Standing =>
    ({ over_time, free_text }) as Standing;
  const known = [standing(false, false), standing(true, false), standing(false, true)];
  const other = shownAs(standing(true, true));
  const rows = known.map((each) => shownAs(each).rows);
  expect(rows).toEqual(["answers", "estimates", "found"]);
  expect(known.map((each) => shownAs(each))).not.toContain(other);
  known.forEach((each, i) => {
    for (const field of [...rows, "means"]) {
      const kind = shownAs(each, {
        window: 0,
        n: 1,
        level: 0.95,
        [field]: [],
      } as unknown as Estimate);
      expect(kind).toBe(field === rows[i] ? shownAs(each) : other);
    }
  });
});

test.each<[Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
  [surveyEn, surveyJa],
  [dashboardEn, dashboardJa],
])("no entry of a language is empty or the other's", (en, ja) => {
  const names = Object.keys(en);
  expect(Object.keys(ja)).toEqual(names);
  for (const name of names) {
    if (typeof en[name] === "string" && typeof ja[name] === "string") {
      expect(ja[name], name).not.toBe("");
      expect(ja[name], name).not.toBe(en[name]);
    }
  }
});

test("a refusal is said by its code in each language, else in the collector's words", () => {
  const used = new Problem(409, "uninvited", "the invitation is unknown, or was used");
  expect(reasonText(surveyJa, used)).toBe("招待リンクが無効か、使用済みです");
  expect(reasonText(surveyEn, used)).toBe("the invitation is unknown, or was used already");
  for (const code of ["something_new", "constructor", "__proto__"]) {
    expect(reasonText(surveyJa, new Problem(400, code, "in its own words"))).toBe(
      isolated("in its own words"),
    );
  }
  expect(reasonText(dashboardJa, new TypeError("Failed to fetch"))).toBe(
    "集計サーバーに接続できません",
  );
});

test("the same codes are known in both languages, and none has the other's words", () => {
  for (const [en, ja] of [
    [surveyEn.problems, surveyJa.problems],
    [dashboardEn.problems, dashboardJa.problems],
  ] as const) {
    expect(Object.keys(ja)).toEqual(Object.keys(en));
    for (const text of Object.values(ja)) expect(text).toMatch(/[ぁ-ん]/);
    for (const text of Object.values(en)) expect(text).toMatch(/^[a-z’,; ]+$/i);
  }
});

test("each language has a name, and a file for what both pages say and for each page", () => {
  const folders = ["", "survey/", "dashboard/"].map((page) => `../src/${page}language/`);
  const files = Object.keys(import.meta.glob("../src/**/language/*.ts"));
  const tags = Object.keys(LANGUAGE_NAMES);
  const wanted = folders.flatMap((folder) => [...tags, "index"].map((tag) => `${folder}${tag}.ts`));
  expect(files.sort()).toEqual(wanted.sort());
});

test.each(Object.keys(LANGUAGE_NAMES) as Language[])("the pages speak %s", async (language) => {
  for (const words of [await loadSurvey(language), await loadDashboard(language)]) {
    expect(words.locale).toBe(language);
  }
});

test("the language that was chosen comes first, then the browser's", () => {
  expect(preferred(null, ["fr-FR", "ja-JP", "en"])).toBe("ja");
  expect(preferred("en", ["ja"])).toBe("en");
  expect(preferred("klingon", ["tlh"])).toBe("en");
  expect(preferred("constructor", ["ja"])).toBe("ja");
  for (const tag of Object.keys(LANGUAGE_NAMES)) expect(preferred(tag, [])).toBe(tag);
});

test("a scale holds all shares and zero, in few whole steps", () => {
  for (const shares of [[0.5], [0.001], [-0.3, 0.2], [-0.01, 0.99], [0], []]) {
    const { from, to, ticks } = scaleOf(shares);
    expect(from).toBeLessThanOrEqual(Math.min(0, ...shares));
    expect(to).toBeGreaterThanOrEqual(Math.max(0, ...shares));
    expect(ticks.some((tick) => Math.abs(tick) < 1e-12)).toBe(true);
    expect(ticks.length).toBeLessThanOrEqual(8);
  }
});

test("small things", () => {
  expect(percent(-0.0001)).toBe("0.0");
  expect(percent(-0.02)).toBe("−2.0");
  expect(grouped("00112233445566778899")).toBe("00112233 44556677 8899");
  const told = [0, 9.99e-5, 0.0001, 0.0123, 0.5, 1].map(pValue);
  expect(told).toEqual(["< 0.0001", "< 0.0001", "0.0001", "0.012", "0.50", "1.0"]);
});

test("a number is never parted from its per cent sign", () => {
  for (const words of [dashboardEn, dashboardJa]) {
    const said = [
      words.percent("1.5"),
      words.range("1.0", "2.0"),
      words.interval("95"),
      words.summary("tea", "1.5", "1.0", "2.0"),
    ];
    for (const text of said) expect(text).not.toMatch(/\d %/);
  }
});
