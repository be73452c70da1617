/** The chances behind a report, for the person who sends it: what it can give away, and what not. */

import type { Collection } from "./collection";
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
import type { Mechanism } from "./mechanisms";
import { getBit } from "./packed";
import { asFraction } from "./parameters";
import { Points } from "./points";
import { Rappor } from "./rappor";
import type { Digest } from "./strings";

/** An answer as a mechanism knows it: a number, or the digest of a text. Over time, a state. */
export type Value = number | Digest;

/** How often a report says yes to the true answer, and how often to any one of the others. */
export interface Odds {
  readonly truth: Fraction;
  readonly other: Fraction;
}

/**
 * GRR: the chance that the true answer is sent, and that each other one is. Points: that a report
 * supports the true answer, and any other one. Unary and RAPPOR: that a report has a 1 in a bit of
 * the true answer, and in any other bit. Over time: that a
 * state that is looked at is told as it is, and that the other one is.
 */
export function odds(mechanism: Mechanism): Odds {
  if (mechanism instanceof Grr) {
    const lies = fraction(CERTAIN - mechanism.keep, CERTAIN * BigInt(mechanism.k - 1));
    return { truth: asFraction(mechanism.keep), other: lies };
  }
  if (mechanism instanceof Points) {
    return { truth: asFraction(mechanism.keep), other: mechanism.others };
  }
  if (mechanism instanceof Continual) {
    const { truth } = mechanism;
    return { truth, other: rest(truth) };
  }
  if (mechanism instanceof Rappor) {
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
  if (mechanism instanceof Grr || mechanism instanceof Points) {
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
  mechanism: Exclude<Mechanism, Grr | Points | Continual>,
  value: Value,
  record: Uint8Array,
) {
  if (mechanism instanceof Rappor) {
    const { cohort, row } = mechanism.readReport(record);
    return { row, ones: mechanism.ones(value, cohort) };
  }
  return { row: mechanism.readReport(record), ones: [value as number] };
}

/** What a collector can conclude from one report about the answers in question. */
export interface Conclusion {
  /** The answers, as given. */
  readonly answers: readonly string[];
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
 * @param among for free text, the texts in question; else all answers of the collection.
 */
export function conclude(
  collection: Collection,
  record: Uint8Array,
  among: readonly string[] = collection.answers,
): Conclusion {
  if (among.length === 0) throw new InvalidAnswer("name the texts to compare");
  const { mechanism } = collection;
  const weights = among.map((answer) => weightOf(mechanism, collection.encode(answer), record));
  const sum = weights.reduce(plus);
  const [least, ...others] = weights as [Fraction, ...Fraction[]];
  const low = others.reduce((a, b) => (isLess(b, a) ? b : a), least);
  const high = others.reduce((a, b) => (isLess(a, b) ? b : a), least);
  return {
    answers: among,
    posterior: weights.map((weight) => toNumber(over(weight, sum))),
    ratio: toNumber(over(high, low)),
    most: mostRatio(mechanism),
  };
}

/** The chance of a report under a value, up to a factor that all values share. */
function weightOf(mechanism: Mechanism, value: Value, record: Uint8Array): Fraction {
  if (mechanism instanceof Points) {
    const isLikely = mechanism.supports(mechanism.readReport(record), value as number);
    return isLikely ? mechanism.likely : mechanism.unlikely;
  }
  const { truth, other } = odds(mechanism);
  if (mechanism instanceof Grr) return mechanism.readReport(record) === value ? truth : other;
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
  const bits = mechanism instanceof Rappor ? mechanism.bits : mechanism.k;
  const cohorts = mechanism instanceof Rappor ? mechanism.cohorts : 1;
  if (bits > MOST_BITS || cohorts * 2 ** bits > most) return null;
  return numbers(cohorts).flatMap((cohort) =>
    numbers(2 ** bits).map((row) => record([cohort, width - 8], [row, 8])),
  );
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
