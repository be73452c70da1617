/** RAPPOR: an answer as bits, randomised once for good and again for every report. */

import { checkAnswers } from "./categories";
import { CERTAIN, below, packed, wordsOf } from "./coins";
import { InvalidReport } from "./errors";
import { over, plus, raised, rest, times, type Fraction, type Power } from "./fractions";
import { getNumber, putNumber, putWords, quotient } from "./integers";
import { epsilonOf, type Memoised } from "./memoised";
import { checkLength, readRow, setBit } from "./packed";
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
import { positions, type Digest } from "./strings";
import type { Words } from "./words";

const MOST_BITS = 2 ** 16;
const MOST_COUNTS = 2 ** 22;
const BLOCK = 2 ** 16; // words randomised at a time: part of the format

/** Bits kept for good, or a report's, and the cohort in which they mean something. */
export interface Filter {
  readonly cohort: number;
  readonly row: BigUint64Array;
}

/**
 * The ones of an answer among `bits`, noised for good by `f` and per report by p and q.
 *
 * With hashes, an answer is the digest of a text; without, a number, which sets the bit of its own.
 */
export class Rappor implements Memoised<BigUint64Array> {
  readonly name = "rappor";
  readonly recordBytes: number;

  private constructor(
    readonly bits: number,
    readonly hashes: number,
    readonly cohorts: number,
    readonly f: bigint,
    readonly p: bigint,
    readonly q: bigint,
  ) {
    this.recordBytes = (hashes > 0 ? 2 : 0) + 8 * wordsOf(bits);
  }

  static read(document: Unread): Rappor {
    checkFields("rappor", document, ["bits", "hashes", "cohorts", "f", "p", "q"]);
    const bits = wholeNumber("bits", document["bits"], 2, MOST_BITS);
    const hashes = wholeNumber("hashes", document["hashes"], 0, bits - 1);
    const cohorts = wholeNumber("cohorts", document["cohorts"], 1, MOST_BITS);
    const powerOfTwo = (bits & (bits - 1)) === 0;
    require(hashes === 0 ||
      powerOfTwo, `bits must be a power of two to be hashed into, got ${bits}`);
    require(cohorts * bits <= MOST_COUNTS, `cohorts × bits must be at most ${MOST_COUNTS}`);
    require(cohorts === 1 || hashes > 0, `without hashes there is 1 cohort, got ${cohorts}`);
    const f = chance("f", document["f"]);
    const p = chance("p", document["p"]);
    const q = chance("q", document["q"]);
    require(f % 2n === 0n && f < CERTAIN, "f must be a multiple of 2^-52 below 1");
    require(p < q, "p must be below q");
    const noisy = 0n < p && q < CERTAIN;
    require(f > 0n || noisy, "without permanent noise (f = 0) p must be above 0 and q below 1");
    return new Rappor(bits, hashes, cohorts, f, p, q);
  }

  document(): Parameters {
    const { name, bits, hashes, cohorts } = this;
    const [f, p, q] = [chanceText(this.f), chanceText(this.p), chanceText(this.q)];
    return { name, bits, hashes, cohorts, f, p, q };
  }

  /** How many answers a collection names: none, if people answer in words of their own. */
  get size(): number {
    return this.hashes > 0 ? 0 : this.bits;
  }

  /** How many of an answer's bits another answer can miss. */
  get changes(): number {
    const ones = this.hashes || 1;
    return Math.min(ones, this.bits - ones);
  }

  /** The worst case of one report: all ones for one answer's bits, all zeros for the other's. */
  get worstRatio(): Power {
    return this.#ratioOf(1);
  }

  /** Of all reports of one answer together; null where nothing bounds it. */
  get lifetimeRatio(): Power | null {
    return this.f > 0n ? { base: this.#bitRatio(0n, CERTAIN, 1), exponent: this.changes } : null;
  }

  #ratioOf(reports: number): Power {
    return { base: this.#bitRatio(this.p, this.q, reports), exponent: this.changes };
  }

  /** What so many reports of one answer cost together, rounded up. */
  epsilonOf(reports: number): number {
    return epsilonOf(reports, (count) => this.#ratioOf(count), this.lifetimeRatio);
  }

  /** The chance that a report says 1 where the answer's bit is 1 (`holder`) and where it is 0. */
  get said(): { readonly holder: Fraction; readonly others: Fraction } {
    const [b, p, q] = [asFraction(this.f / 2n), asFraction(this.p), asFraction(this.q)];
    return {
      holder: plus(times(rest(b), q), times(b, p)),
      others: plus(times(b, q), times(rest(b), p)),
    };
  }

  #bitRatio(p: bigint, q: bigint, reports: number): Fraction {
    const b = asFraction(this.f / 2n);
    const said = (chance: bigint): Fraction =>
      raised({ base: asFraction(chance), exponent: reports });
    const lift = (likely: bigint, unlikely: bigint): Fraction => {
      const [yes, no] = [said(likely), said(unlikely)];
      const mostly = plus(times(rest(b), yes), times(b, no));
      return over(mostly, plus(times(b, yes), times(rest(b), no)));
    };
    return times(lift(q, p), lift(CERTAIN - p, CERTAIN - q));
  }

  /** A cohort for each device. */
  assign(count: number, words: Words): Uint32Array {
    return below(words, this.cohorts, count);
  }

  /** Noise is kept for the whole answer. */
  remembered(value: number | Digest): number | Digest {
    return value;
  }

  /** The bits that an answer sets. */
  ones(value: number | Digest, cohort: number): number[] {
    return typeof value === "number" ? [value] : positions(value, cohort, this.hashes, this.bits);
  }

  /** Each answer's bits, each flipped with chance f/2: for good. */
  permanent(
    values: readonly (number | Digest)[],
    cohorts: Uint32Array,
    words: Words,
  ): BigUint64Array {
    if (this.hashes === 0) checkAnswers(values, this.bits);
    const width = wordsOf(this.bits);
    const kept = new BigUint64Array(values.length * width);
    values.forEach((value, person) => {
      const row = kept.subarray(person * width, (person + 1) * width);
      for (const place of this.ones(value, cohorts[person] as number)) setBit(row, place, true);
    });
    if (this.f > 0n) {
      for (const [first, past] of this.#blocks(values.length)) {
        const flips = packed(words, this.f / 2n, past - first, this.bits);
        flips.forEach((flip, i) => {
          kept[first * width + i] = (kept[first * width + i] as bigint) ^ flip;
        });
      }
    }
    return kept;
  }

  /** Reports of kept bits: each by a coin of its own, of chance q for a 1 and p for a 0. */
  instant(kept: BigUint64Array, cohorts: Uint32Array, words: Words): Uint8Array {
    const width = wordsOf(this.bits);
    const people = cohorts.length;
    const told = new BigUint64Array(kept.length);
    for (const [first, past] of this.#blocks(people)) {
      const said = packed(words, this.q, past - first, this.bits);
      const unsaid = packed(words, this.p, past - first, this.bits);
      said.forEach((yes, i) => {
        const word = kept[first * width + i] as bigint;
        told[first * width + i] = (yes & word) | ((unsaid[i] as bigint) & ~word);
      });
    }
    const reports = new Uint8Array(people * this.recordBytes);
    const before = this.recordBytes - 8 * width;
    cohorts.forEach((cohort, person) => {
      const at = person * this.recordBytes;
      putNumber(reports, at, before, cohort);
      putWords(reports, at + before, told.subarray(person * width, (person + 1) * width));
    });
    return reports;
  }

  /** The reports of people who answer once, one after the other. */
  randomize(values: readonly (number | Digest)[], words: Words): Uint8Array {
    const cohorts = this.assign(values.length, words);
    return this.instant(this.permanent(values, cohorts, words), cohorts, words);
  }

  #blocks(people: number): [number, number][] {
    const size = Math.max(1, quotient(BLOCK, wordsOf(this.bits)));
    const blocks: [number, number][] = [];
    for (let first = 0; first < people; first += size) {
      blocks.push([first, Math.min(first + size, people)]);
    }
    return blocks;
  }

  /** The cohort and the bits of a report. */
  readReport(record: Uint8Array): Filter {
    checkLength(record, this.recordBytes);
    const before = this.recordBytes - 8 * wordsOf(this.bits);
    const cohort = getNumber(record, 0, before);
    if (cohort >= this.cohorts) {
      throw new InvalidReport(`cohorts are numbered 0 to ${this.cohorts - 1}, the report's is not`);
    }
    return { cohort, row: readRow(record, before, this.bits) };
  }
}
