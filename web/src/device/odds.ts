/** The chances behind a report, for the person who sends it: what it can give away, and what not. */

import type { Answer, Collection, Part } from "./collection";
import { CERTAIN } from "./coins";
import { Continual } from "./continual";
import { InvalidAnswer } from "./errors";
import {
  fraction,
  isLess,
  over,
  plus,
  raised,
  rest,
  times,
  toNumber,
  type Fraction,
} from "./fractions";
import { Grr } from "./grr";
import { putNumber } from "./integers";
import type { Categorical, Mechanism, Single } from "./mechanisms";
import { getBit } from "./packed";
import { asFraction } from "./parameters";
import { Points } from "./points";
import { Rappor } from "./rappor";
import { SetResponse, type Selected } from "./set_response";
import {
  JointQuestions,
  SampledQuestions,
  SeveralQuestions,
  SplitQuestions,
  type Row,
} from "./several";
import type { Digest } from "./strings";
import { SubsetSelection } from "./subset";
import { SquareWave } from "./wave";
import { Window } from "./window";

/**
 * An answer as a mechanism knows it: a number, a row of 0 and 1 where several may be selected, or the
 * digest of a text. Over time, a state; of several questions, a row of numbers.
 */
export type Value = number | Selected | Digest | Row;

/** How often a report says yes to the true answer, and how often to any one of the others. */
export interface Odds {
  readonly truth: Fraction;
  readonly other: Fraction;
}

/**
 * GRR: the chance that the true answer is sent, and that each other one is. Points: that a report
 * supports the true answer, and any other one. Unary and RAPPOR: that a report has a 1 in a bit of
 * the true answer, and in any other bit. Subsets: that a report has the true answer, and any other
 * one. Sets: that a report has one item that the person has, and one that they haven't. Windows:
 * that a report is an output of the rounded number's window, and that it is another one. Over time:
 * that a state that is looked at is told as it is, and that the other one is. Of several questions
 * each part has its own.
 */
export function odds(mechanism: Mechanism): Odds {
  if (mechanism instanceof SeveralQuestions) {
    throw new RangeError("of several questions each has odds of its own");
  }
  if (mechanism instanceof Grr) {
    const lies = fraction(CERTAIN - mechanism.keep, CERTAIN * BigInt(mechanism.k - 1));
    return { truth: asFraction(mechanism.keep), other: lies };
  }
  if (mechanism instanceof Window || mechanism instanceof SquareWave) {
    const keep = asFraction(mechanism.keep);
    return { truth: keep, other: rest(keep) };
  }
  if (mechanism instanceof SubsetSelection) {
    return { truth: asFraction(mechanism.keep), other: mechanism.others };
  }
  if (mechanism instanceof Points) {
    return { truth: mechanism.fitting, other: mechanism.others };
  }
  if (mechanism instanceof Continual) {
    const { truth } = mechanism;
    return { truth, other: rest(truth) };
  }
  if (mechanism instanceof Rappor || mechanism instanceof SetResponse) {
    const { holder, others } = mechanism.said;
    return { truth: holder, other: others };
  }
  return { truth: asFraction(mechanism.p), other: asFraction(mechanism.q) };
}

/** How much likelier a report can be under one answer than under another: e^ε, to show. */
export function mostRatio(mechanism: Mechanism): number {
  return toNumber(raised(mechanism.worstRatio));
}

const ONE = fraction(1n);

/**
 * The chance of a report of somebody who holds a value, exactly. Over time, that a device reports in
 * its round, and says this.
 */
export function chanceOf(mechanism: Mechanism, value: Value, record: Uint8Array): Fraction {
  if (mechanism instanceof SeveralQuestions) {
    if (mechanism instanceof JointQuestions) {
      return chanceOf(mechanism.table, mechanism.cell(value as Row), record);
    }
    const { parts, told } = toldOf(mechanism, record);
    const drawn = fraction(1n, mechanism instanceof SampledQuestions ? BigInt(parts.length) : 1n);
    return told
      .map((said) =>
        chanceOf(
          parts[said.question] as Categorical,
          (value as Row)[said.question] as number,
          said.record,
        ),
      )
      .reduce(times, drawn);
  }
  if (mechanism instanceof SetResponse) {
    const { k, setSize } = mechanism;
    return over(weightOf(mechanism, value, record), fraction(combinations(k, setSize)));
  }
  if (mechanism instanceof SubsetSelection) {
    const { k, setSize } = mechanism;
    const sets = fraction(combinations(k, setSize), BigInt(k));
    return over(weightOf(mechanism, value, record), sets);
  }
  if (mechanism instanceof Grr || mechanism instanceof Points) {
    return weightOf(mechanism, value, record);
  }
  if (mechanism instanceof Window || mechanism instanceof SquareWave) {
    return weightOf(mechanism, value, record);
  }
  if (mechanism instanceof Continual) {
    const { reportsEach, rounds } = mechanism;
    const speaks = fraction(BigInt(reportsEach), BigInt(rounds));
    return times(weightOf(mechanism, value, record), speaks);
  }
  const { truth, other } = odds(mechanism);
  const { row, ones } = rowOf(mechanism, value, record);
  const [bits, cohorts] =
    mechanism instanceof Rappor ? [mechanism.bits, mechanism.cohorts] : [mechanism.k, 1];
  let [top, bottom] = [1n, BigInt(cohorts)];
  for (let place = 0; place < bits; place++) {
    const yes = ones.includes(place) ? truth : other;
    const said = getBit(row, place) ? yes : rest(yes);
    [top, bottom] = [top * said.top, bottom * said.bottom];
  }
  return fraction(top, bottom);
}

/** The bits of a report, and which of them are the value's; none of these stands twice. */
function rowOf(
  mechanism: Exclude<
    Single,
    Grr | SubsetSelection | SetResponse | Window | SquareWave | Points | Continual
  >,
  value: Value,
  record: Uint8Array,
) {
  if (mechanism instanceof Rappor) {
    const { cohort, row } = mechanism.readReport(record);
    return { row, ones: mechanism.ones(value as number | Digest, cohort) };
  }
  return { row: mechanism.readReport(record), ones: [value as number] };
}

/** What a collector can conclude from one report about the answers in question. */
export interface Conclusion<Known extends Answer = string> {
  /** The answers, as given. */
  readonly answers: readonly Known[];
  /** How likely each one is after the report, if all were equally likely before. */
  readonly posterior: readonly number[];
  /** How much better the best of them explains the report than the worst. */
  readonly ratio: number;
  /** What that ratio can be at most, for any report: e^ε. */
  readonly most: number;
}

/**
 * What one report tells about the answers, from a uniform prior.
 *
 * @param among for free text, the texts in question, and the lists of answers where several may be
 *   selected; else all answers of the collection.
 */
export function conclude<Known extends Answer = string>(
  collection: Collection,
  record: Uint8Array,
  among: readonly Known[] = collection.answers as readonly Known[],
): Conclusion<Known> {
  if (among.length === 0) throw new InvalidAnswer("name the texts to compare");
  const { mechanism } = collection;
  const weights = among.map((answer) => weightOf(mechanism, collection.encode(answer), record));
  return concluded(among, weights, mostRatio(mechanism));
}

function concluded<Known extends Answer>(
  answers: readonly Known[],
  weights: readonly Fraction[],
  most: number,
): Conclusion<Known> {
  const sum = weights.reduce(plus);
  const [least, ...others] = weights as [Fraction, ...Fraction[]];
  const low = others.reduce((a, b) => (isLess(b, a) ? b : a), least);
  const high = others.reduce((a, b) => (isLess(a, b) ? b : a), least);
  return {
    answers,
    posterior: weights.map((weight) => toNumber(over(weight, sum))),
    ratio: toNumber(over(high, low)),
    most,
  };
}

/**
 * What one report of several questions tells about the answers to one of them, if all answers to
 * all of them were equally likely before.
 */
export function concludeOne(
  { mechanism, parts }: Collection,
  record: Uint8Array,
  question: number,
): Conclusion {
  if (!(mechanism instanceof SeveralQuestions)) throw new InvalidAnswer("there is one question");
  const { answers } = parts[question] as Part;
  const weights = answers.map((_, answer) => weightOfOne(mechanism, record, question, answer));
  return concluded(answers, weights, mostRatio(mechanism));
}

/** The chance of a report under one answer to one question, up to a factor that all share. */
function weightOfOne(
  mechanism: SampledQuestions | SplitQuestions | JointQuestions,
  record: Uint8Array,
  question: number,
  answer: number,
): Fraction {
  if (mechanism instanceof JointQuestions) {
    return numbers(mechanism.table.k)
      .filter((cell) => mechanism.rowOf(cell)[question] === answer)
      .map((cell) => weightOf(mechanism.table, cell, record))
      .reduce(plus);
  }
  const { parts, told } = toldOf(mechanism, record);
  const said = told.find((each) => each.question === question);
  return said ? weightOf(parts[question] as Categorical, answer, said.record) : ONE;
}

/** The parts of several questions, and what a report says of some of them, or of all. */
function toldOf(mechanism: SampledQuestions | SplitQuestions, record: Uint8Array) {
  return { parts: mechanism.parts, told: mechanism.readReport(record) };
}

/** The chance of a report under a value, up to a factor that all values share. */
function weightOf(mechanism: Mechanism, value: Value, record: Uint8Array): Fraction {
  if (mechanism instanceof SeveralQuestions) return chanceOf(mechanism, value, record);
  if (mechanism instanceof Points) {
    const isLikely = mechanism.supports(mechanism.readReport(record), value as number);
    return isLikely ? mechanism.likely : mechanism.unlikely;
  }
  if (mechanism instanceof SubsetSelection) {
    const isLikely = getBit(mechanism.readReport(record), value as number);
    return isLikely ? mechanism.likely : mechanism.unlikely;
  }
  if (mechanism instanceof Window || mechanism instanceof SquareWave) {
    return mechanism.chanceOf(mechanism.readReport(record), value as number);
  }
  const { truth, other } = odds(mechanism);
  if (mechanism instanceof Grr) return mechanism.readReport(record) === value ? truth : other;
  if (mechanism instanceof SetResponse) {
    const row = mechanism.readReport(record);
    const own = [...mechanism.held(value as Selected)].filter((item) => getBit(row, item));
    return mechanism.setChances()[own.length] as Fraction;
  }
  if (mechanism instanceof Continual) {
    const { looks, reportsEach } = mechanism;
    const looked = fraction(BigInt(looks), BigInt(reportsEach)); // where it isn't, 0 is said
    const yes = times(looked, value === 1 ? truth : other);
    return mechanism.readReport(record).bit === 1 ? yes : rest(yes);
  }
  const { row, ones } = rowOf(mechanism, value, record);
  const yes = over(truth, other);
  const no = over(rest(truth), rest(other));
  return ones.reduce((all, place) => times(all, getBit(row, place) ? yes : no), ONE);
}

const MOST_BITS = 12;

/** Every report that a small mechanism can make; null if there are more than thousands. */
export function everyReport(mechanism: Mechanism): Uint8Array[] | null {
  const record = (...fields: [value: number, width: number][]): Uint8Array => {
    const bytes = new Uint8Array(mechanism.recordBytes);
    let at = 0;
    for (const [value, width] of fields) {
      putNumber(bytes, at, width, value);
      at += width;
    }
    return bytes;
  };
  const width = mechanism.recordBytes;
  const most = 2 ** MOST_BITS;
  if (mechanism instanceof JointQuestions) return everyReport(mechanism.table);
  if (mechanism instanceof SampledQuestions || mechanism instanceof SplitQuestions) {
    return everyParted(mechanism, most);
  }
  if (mechanism instanceof Grr || mechanism instanceof Points) {
    const size = mechanism instanceof Grr ? mechanism.k : mechanism.points;
    return size > most ? null : numbers(size).map((number) => record([number, width]));
  }
  if (mechanism instanceof Continual) {
    if (2 * mechanism.rounds > most) return null;
    return numbers(mechanism.rounds).flatMap((round) =>
      [0, 1].map((bit) => record([round + 1, width - 1], [bit, 1])),
    );
  }
  if (mechanism instanceof SetResponse || mechanism instanceof SubsetSelection) {
    const items = mechanism instanceof SetResponse ? mechanism.items : mechanism.k;
    if (items > MOST_BITS) return null;
    const isSet = (row: number): boolean =>
      row.toString(2).replaceAll("0", "").length === mechanism.setSize;
    return numbers(2 ** items)
      .filter(isSet)
      .map((row) => record([row, width]));
  }
  if (mechanism instanceof Window || mechanism instanceof SquareWave) {
    return numbers(mechanism.outputs).map((output) => record([output, width]));
  }
  const bits = mechanism instanceof Rappor ? mechanism.bits : mechanism.k;
  const cohorts = mechanism instanceof Rappor ? mechanism.cohorts : 1;
  if (bits > MOST_BITS || cohorts * 2 ** bits > most) return null;
  return numbers(cohorts).flatMap((cohort) =>
    numbers(2 ** bits).map((row) => record([cohort, width - 8], [row, 8])),
  );
}

/** Every report of several questions: of any one of them, or of all. */
function everyParted(
  mechanism: SampledQuestions | SplitQuestions,
  most: number,
): Uint8Array[] | null {
  const every = mechanism.parts.map(everyReport);
  if (every.some((reports) => reports === null)) return null;
  const each = every as Uint8Array[][];
  const glued = (...parts: Uint8Array[]): Uint8Array => {
    const whole = new Uint8Array(mechanism.recordBytes);
    parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
    return whole;
  };
  if (mechanism instanceof SampledQuestions) {
    return each.flatMap((reports, question) =>
      reports.map((report) => glued(Uint8Array.of(question), report)),
    );
  }
  if (each.reduce((product, reports) => product * reports.length, 1) > most) return null;
  const rows = each.reduce<Uint8Array[][]>(
    (begun, reports) => begun.flatMap((row) => reports.map((report) => [...row, report])),
    [[]],
  );
  return rows.map((row) => glued(...row));
}

/** How many sets of so many items there are. */
function combinations(items: number, size: number): bigint {
  let count = 1n;
  for (let i = 0; i < size; i++) count = (count * BigInt(items - i)) / BigInt(i + 1);
  return count;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
