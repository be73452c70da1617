/** Numbers and words for people. */

import { expect, test } from "vitest";

import {
  Collection,
  Device,
  Grr,
  JointQuestions,
  PlainSecret,
  Points,
  SampledQuestions,
  SetResponse,
  SeveralQuestions,
  SplitQuestions,
  SquareWave,
  SubsetSelection,
  Window,
  concludeOne,
  odds,
  toNumber,
} from "../src/device";
import { getBit } from "../src/device/packed";
import { kindOf as shownAs } from "../src/dashboard/kinds";
import { load as loadDashboard } from "../src/dashboard/language";
import { words as administrationEn } from "../src/dashboard/administration/language/en";
import { words as administrationJa } from "../src/dashboard/administration/language/ja";
import { words as dashboardEn } from "../src/dashboard/language/en";
import { words as dashboardJa } from "../src/dashboard/language/ja";
import { past } from "../src/dashboard/kinds/states";
import { textNotes } from "../src/dashboard/kinds/text";
import type { Estimate, Rounds, Standing, Texts } from "../src/collector/api";
import { Problem } from "../src/collector/problem";
import { LANGUAGE_NAMES, preferred, type Language } from "../src/language";
import { scaleOf } from "../src/page/bars";
import {
  decimalsFor,
  decimalsOf,
  downTo,
  grouped,
  marginOf,
  pValue,
  peopleOf,
  percent,
  points,
  shownNumber,
  typed,
  upTo,
} from "../src/page/numbers";
import { reasonText } from "../src/page/reason";
import { isolated } from "../src/page/strangers";
import { kindOf } from "../src/survey/kinds";
import { several } from "../src/survey/kinds/several";
import { load as loadSurvey } from "../src/survey/language";
import { words as planEn } from "../src/plan/language/en";
import { words as planJa } from "../src/plan/language/ja";
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
    if (mechanism instanceof SeveralQuestions) continue; // its parts are such
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
      if (collection.mechanism instanceof SeveralQuestions) continue; // below
      const people = peopleOf(odds(collection.mechanism));
      const answer = collection.answers[1] ?? "tea";
      const kept = collection.several ? JSON.stringify([answer]) : answer;
      const text = kind.odds(words, collection, kept);
      for (const number of [people.of, people.truth, people.other]) {
        expect(text).toContain(`${number}`);
      }
      if (collection.overTime) continue;
      const given = collection.several ? [answer] : answer;
      const { record } = await device.report(collection, given);
      const said = kind.report(words, collection, record);
      const { mechanism } = collection;
      if (mechanism instanceof Grr) {
        expect(said).toContain(collection.answers[mechanism.readReport(record)]);
      } else if (mechanism instanceof SetResponse) {
        const row = mechanism.readReport(record);
        for (const [place, label] of collection.answers.entries()) {
          expect(said.includes(words.says(isolated(label)))).toBe(getBit(row, place));
        }
        const meant = kind.meaning(words, collection, record, JSON.stringify([answer]));
        expect(meant).not.toBe("");
      } else if (mechanism instanceof Window || mechanism instanceof SquareWave) {
        expect(said).toContain(`${mechanism.readReport(record) + 1}`);
        expect(kind.meaning(words, collection, record, answer)).toContain(
          shownNumber(collection.answers[0] as string),
        );
      } else if (collection.answers.length > 64) {
        const yes = mechanism instanceof SubsetSelection ? mechanism.setSize : "";
        expect(said).toContain(
          `${mechanism instanceof Points ? mechanism.readReport(record) : yes}`,
        );
        expect(said).toContain(`${collection.answers.length}`);
      } else if (!collection.freeText && ![words.saysAll, words.saysNone].includes(said)) {
        for (const label of collection.answers) expect(said).toContain(words.says(isolated(label)));
      }
    }
  }
});

test("several questions and what is said of them have words in every language", async () => {
  const asked = KNOWN.filter(({ atOnce }) => atOnce);
  expect(asked.map(({ mechanism }) => mechanism.name)).toEqual(["sample", "split", "joint"]);
  for (const words of [surveyEn, surveyJa]) {
    const device = new Device(new PlainSecret(PlainSecret.fresh()));
    for (const collection of asked) {
      const { mechanism, parts } = collection;
      const kind = kindOf(collection);
      expect(kind).toBe(several);
      expect(kind.odds(words, collection)).toContain(
        `${mechanism instanceof JointQuestions ? 6 : 2}`,
      );
      const given = parts.map(({ answers }) => answers.at(-1) as string);
      const { record } = await device.report(collection, given);
      const said = kind.report(words, collection, record);
      const meant = kind.meaning(words, collection, record, JSON.stringify(given));
      expect(said).not.toBe("");
      if (!(mechanism instanceof SampledQuestions || mechanism instanceof SplitQuestions)) continue;
      for (const [at, { question: asked }] of parts.entries()) {
        const isTold = mechanism.readReport(record).some(({ question }) => question === at);
        expect(said.includes(isolated(asked))).toBe(isTold);
        expect(meant.includes(isolated(asked))).toBe(isTold);
        const shares = new Set(concludeOne(collection, record, at).posterior);
        expect(shares.size === 1).toBe(!isTold);
      }
    }
  }
});

test("several questions are told of in a line each, with what was chosen as examples", () => {
  const split = KNOWN.find(({ mechanism }) => mechanism instanceof SplitQuestions) as Collection;
  const given = split.parts.map(({ answers }) => answers.at(-1) as string);
  const lines = several.odds(surveyEn, split, JSON.stringify(given)).split("\n");
  expect(lines.length).toBe(1 + split.parts.length);
  for (const [at, { question }] of split.parts.entries()) {
    expect(lines[1 + at]).toContain(`“${isolated(question)}”: `);
    expect(lines[1 + at]).toContain(isolated(given[at] as string));
  }
});

test("a number is read as keyboards write it", () => {
  expect(["２５", " 2１．５ ", "－3", "−3", "ー３", "21。5", "25歳"].map(typed)).toEqual([
    "25",
    "21.5",
    "-3",
    "-3",
    "-3",
    "21.5",
    "25歳",
  ]);
  expect(["1,000", "-12,345,678.5", "21,3", "1,00", "1,0000"].map(typed)).toEqual([
    "1000",
    "-12345678.5",
    "21,3",
    "1,00",
    "1,0000",
  ]);
  expect(["-1.5", "1990", "-20000000.125", "123456"].map(shownNumber)).toEqual([
    "−1.5",
    "1990",
    "−20,000,000.125",
    "123,456",
  ]);
  for (const number of ["-20000000.125", "123456", "99"]) {
    expect(typed(shownNumber(number))).toBe(number);
  }
});

test("both pages promise the same", () => {
  for (const collection of KNOWN) {
    const { overTime, freeText, several, range } = collection;
    const questions = collection.atOnce ? collection.parts.length : undefined;
    const shown = shownAs({
      over_time: overTime,
      free_text: freeText,
      several,
      questions,
      ...(range && {
        number: collection.mechanism instanceof SquareWave ? "distribution" : "mean",
      }),
    } as Standing);
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

test.each<readonly [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
  [surveyEn, surveyJa],
  [dashboardEn, dashboardJa],
  [administrationEn, administrationJa],
  [administrationEn.refusals, administrationJa.refusals],
  [planEn, planJa],
  ...(
    ["kinds", "kindsWhy", "findsWhy", "aims", "aimsWhy", "titles", "hints", "models"] as const
  ).map((table) => [planEn[table], planJa[table]] as const),
  ...(["findings", "curveGoals", "columnsWhy", "mechanisms", "ways", "refusals"] as const).map(
    (table) => [planEn[table], planJa[table]] as const,
  ),
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
    [administrationEn.problems, administrationJa.problems],
  ] as const) {
    expect(Object.keys(ja)).toEqual(Object.keys(en));
    for (const text of Object.values(ja)) expect(text).toMatch(/[ぁ-ん]/);
    for (const text of Object.values(en)) expect(text).toMatch(/^[a-z’,; ]+$/i);
  }
});

test("each language has a name, and a file for what all pages say and for each page", () => {
  const folders = ["", "survey/", "dashboard/", "dashboard/administration/", "plan/"].map(
    (page) => `../src/${page}language/`,
  );
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

test("shares have the digits that their errors give, no sign without a number, and a real minus", () => {
  expect([-0.00001, -0.004, 0, 0.5].map((share) => percent(share, 2))).toEqual([
    "0.00",
    "−0.40",
    "0.00",
    "50.00",
  ]);
  expect([-0.0001, 0.031, -0.031, 0].map((share) => points(share, 1))).toEqual([
    "0.0",
    "+3.1",
    "−3.1",
    "0.0",
  ]);
  // As results/wording.py: two digits of the error.
  expect([15, 1.5, 0.15, 0.012, 0].map(decimalsFor)).toEqual([0, 1, 2, 3, 2]);
  expect(decimalsOf([0.5, 0.015, 0.0001])).toBe(1);
  expect(decimalsOf([0.15, 0.25])).toBe(0);
  // A margin is rounded up: the widest interval is within it.
  expect(
    marginOf(
      [
        { low: 0.1, high: 0.1501 },
        { low: 0, high: 0.01 },
      ],
      1,
    ),
  ).toBe("2.6");
  expect(marginOf([{ low: 0.1, high: 0.15 }], 1)).toBe("2.5");
});

test("one is not many", () => {
  expect([1, 2, 2000].map(dashboardEn.reports)).toEqual(["1 report", "2 reports", "2,000 reports"]);
  expect([0, 1].map(dashboardEn.people)).toEqual(["people", "person"]);
  expect(dashboardEn.roughWhy(1, 1)).toBe(
    "Too few reports behind 1 of 1 answer: their intervals are rough.",
  );
  expect(dashboardEn.sharesWhy(1, "95")).toContain("From 1 report.");
  expect(dashboardJa.reports(2000)).toBe("報告 2,000 件");
});

test("ε is shown rounded, and never as less than it is", () => {
  expect(dashboardEn.epsilon(upTo(0.9999999999999996))).toBe("ε = 1");
  expect(dashboardEn.epsilon(upTo(1.00001))).toBe("ε = 1.001");
});

test("only rounds that have been are shown, by the collector's clock", () => {
  const row = (round: number, share: number | null) => ({ round, share });
  const estimates = [row(1, 0.5), row(2, null), row(3, null), row(4, null)];
  const of = (window: number | "all", now: readonly [number, number | null]): readonly number[] =>
    past(
      { window, rounds: 4, estimates } as unknown as Rounds,
      { window: now[0], round: now[1] } as Standing,
    ).map(({ round }) => round);
  expect(of(2, [2, 3])).toEqual([1, 2]); // the third is open
  expect(of(2, [3, 1])).toEqual([1, 2, 3, 4]);
  expect(of(2, [2, 1])).toEqual([1]); // one that is shown has been, whatever the clock says
  expect(of("all", [0, 4])).toEqual([1, 2, 3]);
  expect(of(0, [0, null])).toEqual([1, 2, 3, 4]);
});

test("people are planned for by the largest window, not by all reports", () => {
  const kind = shownAs({ over_time: true, free_text: false } as Standing);
  const windows = [{ reports: 900 }, { reports: 1200 }, { reports: 300 }];
  const standing = { windows, reports: 2400, epsilon: 0.9999999999999996, rounds: 40 };
  const plan = (each: number): string | null =>
    kind.plan(standing as unknown as Standing, { reports_each: each } as Rounds);
  expect(plan(1)).toBe("sudare plan stream --rounds 40 --epsilon 1 --people 1200");
  expect(plan(4)).toContain("--people 300");
  expect(kind.plan({ ...standing, windows: [] } as unknown as Standing, null)).toBe(null);
});

test("free text has the footnote of the command line", () => {
  const estimate = {
    n: 2300,
    candidates: 3,
    level: 0.95,
    false_discoveries: 0.05,
    correction: "benjamini-hochberg",
    smallest_detectable: 0.0132,
    excess_noise: 1.3,
    found: [{}, {}],
    unexplained: { share: 0.1034, stderr: 0.0231 },
  } as unknown as Texts;
  const said = textNotes(dashboardEn, estimate).join(" ").replaceAll("\u00a0", " ");
  for (const part of [
    "2 of 3 candidates found.",
    "answers of 89.7 % of people (less the luck of being found); the other 10.3 % ± 2.3 %",
    "At most about 5 % of those found are there by chance.",
    "A text that 1.3 % of people answered is found with an even chance",
    "The noise is 1.3 times what randomising makes",
    "From 2,300 reports.",
  ]) {
    expect(said).toContain(part);
  }
  const quiet = textNotes(dashboardEn, { ...estimate, excess_noise: 1.25, found: [] });
  expect(quiet.join(" ")).not.toMatch(/noise|by chance|Those found/);
  expect(textNotes(dashboardJa, estimate)).toHaveLength(6);
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
