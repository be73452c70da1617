/** A collection: one question, its answers and the mechanism, as one public JSON document. */

import { keyOf, type Json } from "./canonical";
import { Continual } from "./continual";
import { InvalidAnswer, InvalidDocument } from "./errors";
import { logUp, nextUp } from "./fractions";
import { Loloha } from "./loloha";
import { memoised, readMechanism, type Mechanism } from "./mechanisms";
import { wholeNumber, type Unread } from "./parameters";
import { Range, type Placed } from "./ranges";
import { Rappor } from "./rappor";
import { SetResponse, type Selected } from "./set_response";
import { SeveralQuestions, type Row } from "./several";
import { digest, isWellFormed, type Digest } from "./strings";
import { SquareWave } from "./wave";
import { Window } from "./window";

/** Equal stretches of time, one after the other: when the first opens (Unix time), how long each. */
export interface Windows {
  readonly start: number;
  readonly seconds: number;
}

/** One of several questions that are asked at once. */
export interface Part {
  readonly name: string;
  readonly question: string;
  readonly answers: readonly string[];
}

const ALLOWED = new Set([
  "sudare",
  "format",
  "name",
  "question",
  "answers",
  "mechanism",
  "minimum_reports",
  "epsilon",
  "lifetime_epsilon",
  "windows",
  "keeps_reports",
  "invited",
  "parts",
]);

/**
 * What a person may answer: a label or a text; a number as a decimal in text; where several may be
 * selected, a list of labels; to several questions, a label for each in their order.
 */
export type Answer = string | readonly string[];

/** What is said of answers that change, where noise is kept for cells that answers share. */
export interface Changes {
  /** How many cells there are. */
  readonly cells: number;
  /** What all reports together cost at most, between histories that change cells at once. */
  readonly epsilon: number;
  /** By how much the chance to be taken for somebody who changed can differ, at most. */
  readonly shows: number;
}

/** What is asked, what may be answered, how an answer is randomised, when results are shown. */
export class Collection {
  /** SHA-256 of the canonical document: the collection's identity. */
  readonly key: string;
  /** What one report costs the person who sends it; over time, all of a window's. */
  readonly epsilon: number;
  /** What all reports of one answer cost together; infinite where nothing bounds it. */
  readonly lifetimeEpsilon: number;

  private constructor(
    readonly name: string,
    readonly question: string,
    readonly answers: readonly string[],
    readonly mechanism: Mechanism,
    readonly minimumReports: number,
    readonly windows: Windows | null,
    readonly keepsReports: boolean,
    readonly invited: boolean,
    readonly parts: readonly Part[],
  ) {
    this.#check();
    this.key = keyOf(this.#body());
    this.epsilon = logUp(mechanism.worstRatio);
    const lifetime = memoised(mechanism)?.lifetimeRatio;
    this.lifetimeEpsilon = lifetime ? logUp(lifetime) : Infinity;
  }

  /** The collection of a document; one that states less ε than it spends is refused. */
  static read(data: Uint8Array): Collection {
    const document = parse(data);
    const made = new Collection(
      text("name", document["name"]),
      text("question", document["question"]),
      list("answers", document["answers"]).map((label) => text("an answer's label", label)),
      readMechanism(object("mechanism", document["mechanism"])),
      wholeNumber("minimum_reports", document["minimum_reports"], 1, Number.MAX_SAFE_INTEGER),
      readWindows(document["windows"] ?? null),
      flag("keeps_reports", document["keeps_reports"]),
      flag("invited", document["invited"]),
      readParts(document["parts"] ?? null),
    );
    checkStated("ε", document["epsilon"], made.epsilon);
    const lifetime = document["lifetime_epsilon"] ?? null;
    if (lifetime !== null) checkStated("a lifetime ε", lifetime, made.lifetimeEpsilon);
    return made;
  }

  /** The collection of a document, if it is the one that was agreed to. */
  static readPinned(data: Uint8Array, key: string): Collection {
    const made = Collection.read(data);
    if (made.key !== key) {
      throw new InvalidDocument(
        `this is the collection ${made.key.slice(0, 12)}…, not ${key.slice(0, 12)}…, ` +
          `which was agreed to`,
      );
    }
    return made;
  }

  /** Whether people answer in their own words. */
  get freeText(): boolean {
    return this.mechanism instanceof Rappor && this.mechanism.hashes > 0;
  }

  /** What answers that change can cost together, and how well a change shows; null if unknown. */
  get changes(): Changes | null {
    if (!(this.mechanism instanceof Loloha)) return null;
    const { prime: cells, changeShows: shows } = this.mechanism;
    return { cells, epsilon: nextUp(cells * this.lifetimeEpsilon), shows };
  }

  /** Whether people are in one of two states in each of several rounds. */
  get overTime(): boolean {
    return this.mechanism instanceof Continual;
  }

  /** Whether people select several answers of a list, or none. */
  get several(): boolean {
    return this.mechanism instanceof SetResponse;
  }

  /** Whether several questions are asked at once. */
  get atOnce(): boolean {
    return this.mechanism instanceof SeveralQuestions;
  }

  /** The numbers that people may answer; null where they answer otherwise. */
  get range(): Range | null {
    const { mechanism } = this;
    if (!(mechanism instanceof Window || mechanism instanceof SquareWave)) return null;
    return new Range(this.answers as [string, string], mechanism.steps);
  }

  /** Where a number that is answered lies in the range. */
  place(range: Range, answer: Answer): Placed {
    const placed = typeof answer === "string" ? range.place(answer) : null;
    if (placed) return placed;
    throw new InvalidAnswer(
      `the answer is no number; “${this.name}” asks for one (nothing was randomised)`,
    );
  }

  /**
   * An answer as the mechanism's value: a label's number, a row of 0 and 1, a text's digest, or the
   * steps of a number; one outside the range counts as its end. Of several questions, a row of
   * labels' numbers.
   */
  encode(answer: Answer): number | Selected | Digest | Row {
    if (this.freeText) return digest(this.key, answer);
    if (this.atOnce) return this.#row(answer);
    const { range } = this;
    if (range) return this.place(range, answer).steps;
    if (!(this.mechanism instanceof SetResponse)) return this.#number(answer);
    if (!Array.isArray(answer)) throw new InvalidAnswer("several answers are a list of labels");
    const chosen = new Set(answer.map((label) => this.#number(label)));
    const { most } = this.mechanism;
    if (chosen.size < answer.length || chosen.size > most) {
      throw new InvalidAnswer(
        `the answers of “${this.name}” are at most ${most}, each once (nothing was randomised)`,
      );
    }
    return this.answers.map((_, number) => Number(chosen.has(number)));
  }

  #row(answers: Answer): Row {
    if (!Array.isArray(answers) || answers.length !== this.parts.length) {
      throw new InvalidAnswer(
        `the answers of “${this.name}” are one label for each of its ${this.parts.length} ` +
          `questions (nothing was randomised)`,
      );
    }
    return this.parts.map((part, at) => {
      const number = part.answers.indexOf(answers[at] as string);
      if (number < 0) {
        throw new InvalidAnswer(
          `the answer to “${part.name}” is not one of its ${part.answers.length} answers ` +
            `(nothing was randomised)`,
        );
      }
      return number;
    });
  }

  #number(answer: unknown): number {
    const number = this.answers.indexOf(answer as string);
    if (number < 0) {
      throw new InvalidAnswer(
        `the answer is not one of the ${this.answers.length} answers of “${this.name}” ` +
          `(nothing was randomised)`,
      );
    }
    return number;
  }

  #check(): void {
    const { answers, mechanism, windows } = this;
    const refuse = (rule: string): never => {
      throw new InvalidDocument(rule);
    };
    if (answers.length !== mechanism.size) {
      const wanted = mechanism.size;
      refuse(`the mechanism randomises ${wanted} answers, the collection lists ${answers.length}`);
    }
    if (new Set(answers).size !== answers.length) {
      refuse("two answers have the same label; each must be different");
    }
    if ([this.name, ...answers].includes("")) {
      refuse("the name and every answer's label need at least one character");
    }
    void this.range; // which is refused if it can't be
    if (mechanism instanceof SeveralQuestions) checkParts(this.parts, mechanism);
    else if (this.parts.length > 0) refuse("the mechanism randomises the answers to one question");
    if (mechanism instanceof Continual) {
      if (answers[0] === "1" || answers[1] === "0") {
        refuse("a state's label can't be the number of the other state");
      }
      if (windows && windows.seconds % mechanism.rounds !== 0) {
        refuse(
          `a window of ${mechanism.rounds} rounds lasts a whole number of seconds for each, got ` +
            `${windows.seconds} seconds`,
        );
      }
      if (this.invited && mechanism.reportsEach > 1) {
        refuse(
          `an invitation is good for one report in each window, and here a person sends ` +
            `${mechanism.reportsEach}`,
        );
      }
    }
  }

  /** What the key is made of. A rule that isn't there has no place in it. */
  #body(): Json {
    return {
      sudare: "collection",
      format: 1,
      name: this.name,
      question: this.question,
      answers: this.answers,
      mechanism: this.mechanism.document(),
      minimum_reports: this.minimumReports,
      ...(this.parts.length > 0 && { parts: this.parts.map((part) => ({ ...part })) }),
      ...(this.windows && { windows: { ...this.windows } }),
      ...(this.keepsReports && { keeps_reports: true }),
      ...(this.invited && { invited: true }),
    };
  }
}

function parse(data: Uint8Array): Unread {
  let found: unknown;
  try {
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data));
  } catch {
    throw new InvalidDocument("this is not a collection: it is not JSON"); // and is not quoted
  }
  const document = object("this", found);
  if (document["sudare"] !== "collection" || document["format"] !== 1) {
    throw new InvalidDocument("this is not a collection of format 1");
  }
  if (!Object.keys(document).every((name) => ALLOWED.has(name))) {
    throw new InvalidDocument("this is not a collection: it has other fields");
  }
  return document;
}

function object(what: string, value: unknown): Unread {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidDocument(`${what} must be an object`);
  }
  return value as Unread;
}

function list(what: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidDocument(`${what} must be a list`);
  return value;
}

function text(what: string, value: unknown): string {
  if (typeof value !== "string" || !isWellFormed(value)) {
    throw new InvalidDocument(`${what} must be a text`);
  }
  return value;
}

function flag(what: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== "boolean") {
    throw new InvalidDocument(`${what} must be true or false`);
  }
  return value ?? false;
}

function readWindows(value: unknown): Windows | null {
  if (value === null) return null;
  const { start, seconds, ...others } = object("windows", value);
  if (Object.keys(others).length > 0) {
    throw new InvalidDocument("windows have a start and seconds, and nothing else");
  }
  return {
    start: wholeNumber("a window's start", start, 0, Number.MAX_SAFE_INTEGER),
    seconds: wholeNumber("a window's seconds", seconds, 1, Number.MAX_SAFE_INTEGER),
  };
}

function readParts(value: unknown): readonly Part[] {
  if (value === null) return [];
  return list("parts", value).map((each) => {
    const { name, question, answers, ...others } = object("a question", each);
    if (Object.keys(others).length > 0) {
      throw new InvalidDocument("a question has a name, its words and answers, and nothing else");
    }
    return {
      name: text("a question's name", name),
      question: text("a question", question),
      answers: list("a question's answers", answers).map((label) =>
        text("an answer's label", label),
      ),
    };
  });
}

/** Refuse questions that are others than the mechanism's, or can't be told apart. */
function checkParts(parts: readonly Part[], { sizes }: SeveralQuestions): void {
  const check = (holds: boolean, rule: string): void => {
    if (!holds) throw new InvalidDocument(rule);
  };
  const isDifferent = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;
  check(parts.length === sizes.length, `the mechanism is for ${sizes.length} questions`);
  parts.forEach(({ name, question, answers }, at) => {
    check(answers.length === sizes[at], `question ${at + 1} has ${sizes[at]} answers`);
    check(![name, question, ...answers].includes(""), `question ${at + 1} has an empty text`);
    check(isDifferent(answers), `two answers to question ${at + 1} have the same label`);
  });
  check(isDifferent(parts.map(({ name }) => name)), "two questions have the same name");
  const labels = parts.flatMap(({ name, answers }) => answers.map((label) => `${name}: ${label}`));
  check(isDifferent(labels), "two questions can't be told apart by their names and answers");
}

function checkStated(what: string, stated: unknown, spent: number): void {
  if (typeof stated !== "number") throw new InvalidDocument(`${what} must be stated as a number`);
  if (stated < spent) {
    throw new InvalidDocument(
      `the collection states ${what} = ${stated}, but its parameters give ${spent}`,
    );
  }
}
