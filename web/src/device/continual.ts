/**
 * Counting over time: a person's state, 0 or 1, in each of several rounds, under one ε for them all.
 *
 * Everything that is random about a device is drawn in advance and doesn't depend on its states. What
 * remains in a round is an exclusive or.
 */

import { CERTAIN, coins } from "./coins";
import { InvalidAnswer, InvalidReport } from "./errors";
import { fraction, type Fraction, type Power } from "./fractions";
import { blocks, getNumber, putNumber, widthOf } from "./integers";
import { checkLength } from "./packed";
import {
  asFraction,
  chance,
  chanceText,
  checkFields,
  require,
  wholeNumber,
  type Parameters,
  type Unread,
} from "./parameters";
import type { Words } from "./words";

export const MOST_ROUNDS = 2 ** 20;

/** What a device draws in advance for a window. Who knows it reads the states in its reports. */
export interface Plan {
  /** The rounds in which it reports, from 1, rising. */
  readonly rounds: Uint32Array;
  /** Whether the state in each of them is looked at: 1 or 0. */
  readonly heard: Uint8Array;
  /** What is added to it there: 1 or 0. */
  readonly noise: Uint8Array;
}

/** A mechanism that counts the people in a state, in each of `rounds` rounds. */
export abstract class Continual {
  abstract readonly name: "glance" | "harmony" | "borappor" | "kshot";
  readonly recordBytes: number;

  protected constructor(readonly rounds: number) {
    this.recordBytes = widthOf(rounds) + 1;
  }

  abstract document(): Parameters;
  /** Of everything that a person sends in a window, for any two histories. */
  abstract get worstRatio(): Power;
  /** In how many rounds a person's state is looked at. */
  abstract get looks(): number;
  /** How many reports a person sends in a window. */
  abstract get reportsEach(): number;
  /** The chance that a state that is looked at is told as it is. */
  abstract get truth(): Fraction;
  /** A plan for each of `count` devices. */
  abstract draw(count: number, words: Words): Plan[];

  /** The two states have a name each. */
  get size(): number {
    return 2;
  }

  /** The report of a state in the round of a plan that stands at `at`. */
  report({ rounds, heard, noise }: Plan, at: number, state: 0 | 1): Uint8Array {
    const record = new Uint8Array(this.recordBytes);
    putNumber(record, 0, this.recordBytes - 1, rounds[at] as number);
    record[this.recordBytes - 1] = (state & (heard[at] as number)) ^ (noise[at] as number);
    return record;
  }

  /** The reports of people's streams: a state, 0 or 1, for each round. */
  randomize(streams: readonly (readonly number[])[], words: Words): Uint8Array {
    streams.forEach((stream, where) => this.#check(stream, where));
    const reports = new Uint8Array(streams.length * this.reportsEach * this.recordBytes);
    let end = 0;
    for (const [first, past] of blocks(streams.length, this.reportsEach)) {
      this.draw(past - first, words).forEach((plan, i) => {
        plan.rounds.forEach((round, at) => {
          const state = streams[first + i]?.[round - 1] as 0 | 1;
          reports.set(this.report(plan, at, state), end);
          end += this.recordBytes;
        });
      });
    }
    return reports;
  }

  #check(stream: unknown, where: number): void {
    const fits =
      Array.isArray(stream) &&
      stream.length === this.rounds &&
      stream.every((state) => state === 0 || state === 1);
    if (!fits) {
      throw new InvalidAnswer(
        `the stream at position ${where} is not ${this.rounds} states, each 0 or 1 ` +
          `(nothing was randomised)`,
      );
    }
  }

  /** The round and the bit of a report. */
  readReport(record: Uint8Array): { readonly round: number; readonly bit: 0 | 1 } {
    checkLength(record, this.recordBytes);
    const round = getNumber(record, 0, this.recordBytes - 1);
    const bit = record[this.recordBytes - 1] as number;
    if (round < 1 || round > this.rounds) {
      throw new InvalidReport(`rounds are numbered 1 to ${this.rounds}, the report's is not`);
    }
    if (bit > 1) throw new InvalidReport("a report's bit is 0 or 1, this one's is neither");
    return { round, bit: bit as 0 | 1 };
  }
}

/** Randomised response, Warner's coin of chance `keep`, in one round or in several. */
export abstract class Repeated extends Continual {
  readonly keep: bigint;

  /** The mechanism of a document, which is checked. */
  constructor(name: string, document: Unread, mostRounds = MOST_ROUNDS) {
    checkFields(name, document, ["rounds", "keep"]);
    super(wholeNumber("rounds", document["rounds"], 1, mostRounds));
    this.keep = chance("keep", document["keep"]);
    require(2n * this.keep > CERTAIN && this.keep < CERTAIN, "keep must be above 1/2 and below 1");
  }

  document(): Parameters {
    return { name: this.name, rounds: this.rounds, keep: chanceText(this.keep) };
  }

  get looks(): number {
    return 1;
  }

  /** The truth against a lie, in every round that is looked at. */
  get worstRatio(): Power {
    return { base: fraction(this.keep, CERTAIN - this.keep), exponent: this.looks };
  }

  get truth(): Fraction {
    return asFraction(this.keep);
  }

  /** Where so many people lie, each state that is looked at by a coin of its own. */
  protected lies(count: number, words: Words): Uint8Array {
    return Uint8Array.from(coins(words, CERTAIN - this.keep, count * this.looks), Number);
  }
}

/** Every round, from 1. */
export function everyRound(rounds: number): Uint32Array {
  return Uint32Array.from({ length: rounds }, (_, before) => before + 1);
}
