/** Several questions at once, under one ε: one of them drawn, the budget split, or a joint table. */

import { below } from "./coins";
import { InvalidAnswer, InvalidDocument, InvalidReport } from "./errors";
import { isLess, raised, times, fraction, type Power } from "./fractions";
import type { Categorical } from "./mechanisms";
import { checkLength } from "./packed";
import { checkFields, require, wholeNumber, type Parameters, type Unread } from "./parameters";
import { Points } from "./points";
import type { Words } from "./words";

/** How a document within a document is read: one for one answer of a list, or refused. */
export type ReadPart = (document: unknown) => Categorical;

/** The numbers of a person's answers, one for each question. */
export type Row = readonly number[];

const MOST_QUESTIONS = 64;
const MOST_COMBINATIONS = 2 ** 10;

/** What a report says of one question: the question's number, and its part's report. */
export interface Told {
  readonly question: number;
  readonly record: Uint8Array;
}

/** One answer to each of several questions, in one report whose ε is for all of them together. */
export abstract class SeveralQuestions {
  abstract readonly name: "sample" | "split" | "joint";
  abstract readonly recordBytes: number;

  protected constructor(readonly sizes: readonly number[]) {
    require(sizes.length >= 2 &&
      sizes.length <=
        MOST_QUESTIONS, `there are 2 to ${MOST_QUESTIONS} questions at once, got ${sizes.length}`);
  }

  abstract document(): Parameters;

  /** The worst ratio of a report's chances, whatever answers are changed. */
  abstract get worstRatio(): Power;

  /** The reports of checked rows, one after the other. */
  protected abstract draw(rows: readonly Row[], words: Words): Uint8Array;

  /** Refuse a report that no device can make. */
  abstract readReport(record: Uint8Array): unknown;

  /** A collection names no answers by itself: each question has its own. */
  get size(): number {
    return 0;
  }

  /** The reports of people's answers, one after the other. */
  randomize(rows: readonly Row[], words: Words): Uint8Array {
    const { sizes } = this;
    rows.forEach((row, person) => {
      if (!Array.isArray(row) || row.length !== sizes.length) {
        throw new InvalidAnswer(`answers are rows of ${sizes.length}, one for each question`);
      }
      const isAnswer = (value: unknown, k: number): boolean =>
        typeof value === "number" && Number.isInteger(value) && value >= 0 && value < k;
      const wrong = row.findIndex((value, at) => !isAnswer(value, sizes[at] as number));
      if (wrong >= 0) {
        throw new InvalidAnswer(
          `the answer at position ${person} to question ${wrong + 1} is not one of 0 to ` +
            `${(sizes[wrong] as number) - 1} (nothing was randomised)`,
        );
      }
    });
    return this.draw(rows, words);
  }
}

/** Several questions with a mechanism each. */
export abstract class PartedQuestions extends SeveralQuestions {
  protected constructor(readonly parts: readonly Categorical[]) {
    super(parts.map(({ k }) => k));
  }

  /** What a report says, question by question. */
  abstract override readReport(record: Uint8Array): readonly Told[];

  document(): Parameters {
    return { name: this.name, parts: this.parts.map((part) => part.document()) };
  }
}

/** One question drawn for each person, whatever they answer, which has the whole ε. */
export class SampledQuestions extends PartedQuestions {
  readonly name = "sample";
  readonly recordBytes: number;

  private constructor(parts: readonly Categorical[]) {
    super(parts);
    this.recordBytes = 1 + Math.max(...parts.map(({ recordBytes }) => recordBytes));
  }

  static read(document: Unread, readPart: ReadPart): SampledQuestions {
    return new SampledQuestions(readParts("sample", document, readPart));
  }

  /** The worst of the parts', as the drawn question tells nothing. */
  get worstRatio(): Power {
    const ratios = this.parts.map(({ worstRatio }) => raised(worstRatio));
    return { base: ratios.reduce((a, b) => (isLess(a, b) ? b : a)), exponent: 1 };
  }

  protected draw(rows: readonly Row[], words: Words): Uint8Array {
    const reports = new Uint8Array(rows.length * this.recordBytes);
    const drawn = below(words, this.parts.length, rows.length);
    this.parts.forEach((part, question) => {
      const who = rows.flatMap((_, person) => (drawn[person] === question ? [person] : []));
      if (who.length === 0) return;
      const values = who.map((person) => (rows[person] as Row)[question] as number);
      const made = part.randomize(values, words);
      who.forEach((person, i) => {
        const own = made.subarray(i * part.recordBytes, (i + 1) * part.recordBytes);
        reports[person * this.recordBytes] = question;
        reports.set(own, person * this.recordBytes + 1);
      });
    });
    return reports;
  }

  /** The question that was drawn, and what is said of it. */
  readReport(record: Uint8Array): readonly [Told] {
    checkLength(record, this.recordBytes);
    const question = record[0] as number;
    const part = this.parts[question];
    if (!part) {
      throw new InvalidReport(
        `questions are numbered 0 to ${this.parts.length - 1}, the report's is not`,
      );
    }
    const own = record.slice(1, 1 + part.recordBytes);
    part.readReport(own);
    if (record.subarray(1 + part.recordBytes).some((octet) => octet !== 0)) {
      throw new InvalidReport(`the report has more than the ${part.recordBytes} bytes of its part`);
    }
    return [{ question, record: own }];
  }
}

/** Every question answered, each with a part of the budget. */
export class SplitQuestions extends PartedQuestions {
  readonly name = "split";
  readonly recordBytes: number;

  private constructor(parts: readonly Categorical[]) {
    super(parts);
    this.recordBytes = parts.reduce((sum, { recordBytes }) => sum + recordBytes, 0);
  }

  static read(document: Unread, readPart: ReadPart): SplitQuestions {
    return new SplitQuestions(readParts("split", document, readPart));
  }

  /** All answers may differ: the parts' ratios, multiplied. */
  get worstRatio(): Power {
    const ratios = this.parts.map(({ worstRatio }) => raised(worstRatio));
    return { base: ratios.reduce(times, fraction(1n)), exponent: 1 };
  }

  protected draw(rows: readonly Row[], words: Words): Uint8Array {
    const reports = new Uint8Array(rows.length * this.recordBytes);
    let at = 0;
    this.parts.forEach((part, question) => {
      const made = part.randomize(
        rows.map((row) => row[question] as number),
        words,
      );
      rows.forEach((_, person) => {
        const own = made.subarray(person * part.recordBytes, (person + 1) * part.recordBytes);
        reports.set(own, person * this.recordBytes + at);
      });
      at += part.recordBytes;
    });
    return reports;
  }

  /** What is said of each question. */
  readReport(record: Uint8Array): readonly Told[] {
    checkLength(record, this.recordBytes);
    let at = 0;
    return this.parts.map((part, question) => {
      const own = record.slice(at, at + part.recordBytes);
      part.readReport(own);
      at += part.recordBytes;
      return { question, record: own };
    });
  }
}

/** All answers together as one answer of a table; the last question's changes fastest. */
export class JointQuestions extends SeveralQuestions {
  readonly name = "joint";

  private constructor(
    sizes: readonly number[],
    readonly table: Categorical,
  ) {
    super(sizes);
    const combinations = sizes.reduce((product, k) => product * k, 1);
    require(combinations <=
      MOST_COMBINATIONS, `a joint table has at most ${MOST_COMBINATIONS} combinations, got ${combinations}`);
    require(table.k ===
      combinations, `the answers have ${combinations} combinations, the table is for ${table.k}`);
    require(!(
      table instanceof Points
    ), `a joint table needs another mechanism than ${table.name}, whose supports of two differ`);
  }

  static read(document: Unread, readPart: ReadPart): JointQuestions {
    checkFields("joint", document, ["shape", "table"]);
    const { shape } = document;
    if (!Array.isArray(shape)) throw new InvalidDocument("shape must be a list of whole numbers");
    const sizes = shape.map((size) => wholeNumber("a size", size, 2, 2 ** 32));
    return new JointQuestions(sizes, readPart(document["table"]));
  }

  document(): Parameters {
    return { name: this.name, shape: this.sizes, table: this.table.document() };
  }

  get recordBytes(): number {
    return this.table.recordBytes;
  }

  get worstRatio(): Power {
    return this.table.worstRatio;
  }

  /** The number of a combination. */
  cell(row: Row): number {
    return this.sizes.reduce((cell, k, question) => cell * k + (row[question] as number), 0);
  }

  /** The answers of a combination. */
  rowOf(cell: number): Row {
    const row: number[] = [];
    let left = cell;
    for (const k of [...this.sizes].reverse()) {
      row.unshift(left % k);
      left = (left - (left % k)) / k;
    }
    return row;
  }

  protected draw(rows: readonly Row[], words: Words): Uint8Array {
    return this.table.randomize(
      rows.map((row) => this.cell(row)),
      words,
    );
  }

  readReport(record: Uint8Array): unknown {
    return this.table.readReport(record);
  }
}

function readParts(name: string, document: Unread, readPart: ReadPart): readonly Categorical[] {
  checkFields(name, document, ["parts"]);
  const { parts } = document;
  if (!Array.isArray(parts)) throw new InvalidDocument(`the parts of ${name} must be a list`);
  return parts.map((part) => readPart(part));
}
