/** Glance: one round, drawn in advance, and randomised response there. */

import { CERTAIN, below, coins } from "./coins";
import { InvalidAnswer, InvalidReport } from "./errors";
import { fraction, type Power } from "./fractions";
import { blocks, getNumber, putNumber, widthOf } from "./integers";
import { checkLength } from "./packed";
import {
  chance,
  chanceText,
  checkFields,
  require,
  wholeNumber,
  type Parameters,
  type Unread,
} from "./parameters";
import type { Words } from "./words";

const MOST_ROUNDS = 2 ** 20;

/** What a device draws in advance for a window. Who knows it reads the state in the report. */
export interface Plan {
  /** The round in which it reports, from 1. */
  readonly round: number;
  /** Whether it says the other state there. */
  readonly lies: boolean;
}

/** The true state with chance `keep` in one round of `rounds`, silence in all others. */
export class Glance {
  readonly name = "glance";
  readonly recordBytes: number;

  private constructor(
    readonly rounds: number,
    readonly keep: bigint,
  ) {
    this.recordBytes = widthOf(rounds) + 1;
  }

  static read(document: Unread): Glance {
    checkFields("glance", document, ["rounds", "keep"]);
    const rounds = wholeNumber("rounds", document["rounds"], 1, MOST_ROUNDS);
    const keep = chance("keep", document["keep"]);
    require(2n * keep > CERTAIN && keep < CERTAIN, "keep must be above 1/2 and below 1");
    return new Glance(rounds, keep);
  }

  document(): Parameters {
    return { name: this.name, rounds: this.rounds, keep: chanceText(this.keep) };
  }

  /** The two states have a name each. */
  get size(): number {
    return 2;
  }

  /** Of everything that a person sends in a window: the truth against a lie. */
  get worstRatio(): Power {
    return { base: fraction(this.keep, CERTAIN - this.keep), exponent: 1 };
  }

  /** A plan for each of `count` devices. */
  draw(count: number, words: Words): Plan[] {
    const drawn = below(words, this.rounds, count);
    const lies = coins(words, CERTAIN - this.keep, count);
    return Array.from(drawn, (round, i) => ({ round: round + 1, lies: lies[i] as boolean }));
  }

  /** The report of a state in the round of a plan. */
  report(plan: Plan, state: 0 | 1): Uint8Array {
    const record = new Uint8Array(this.recordBytes);
    putNumber(record, 0, this.recordBytes - 1, plan.round);
    record[this.recordBytes - 1] = state ^ (plan.lies ? 1 : 0);
    return record;
  }

  /** The reports of people's streams: a state, 0 or 1, for each round. */
  randomize(streams: readonly (readonly number[])[], words: Words): Uint8Array {
    streams.forEach((stream, where) => this.#check(stream, where));
    const reports = new Uint8Array(streams.length * this.recordBytes);
    for (const [first, past] of blocks(streams.length, 1)) {
      this.draw(past - first, words).forEach((plan, i) => {
        const state = streams[first + i]?.[plan.round - 1] as 0 | 1;
        reports.set(this.report(plan, state), (first + i) * this.recordBytes);
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
