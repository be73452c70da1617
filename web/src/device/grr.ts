/** Generalized randomized response: one answer of k, sometimes a lie. */

import { checkAnswers } from "./categories";
import { CERTAIN, below, coins } from "./coins";
import { InvalidReport } from "./errors";
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

/** The true answer with chance `keep`, else another one, uniformly. */
export class Grr {
  readonly name = "grr";
  readonly recordBytes: number;

  private constructor(
    readonly k: number,
    readonly keep: bigint,
  ) {
    this.recordBytes = widthOf(k - 1);
  }

  static read(document: Unread): Grr {
    checkFields("grr", document, ["k", "keep"]);
    const k = wholeNumber("k", document["k"], 2, 2 ** 32);
    const keep = chance("keep", document["keep"]);
    const allowed = keep * BigInt(k) > CERTAIN && keep < CERTAIN;
    require(allowed, `keep must be above 1/k = 1/${k} and below 1`);
    return new Grr(k, keep);
  }

  document(): Parameters {
    return { name: this.name, k: this.k, keep: chanceText(this.keep) };
  }

  /** How many answers a collection names. */
  get size(): number {
    return this.k;
  }

  /** The honest answer against the lie: keep / ((1 − keep) / (k − 1)). */
  get worstRatio(): Power {
    const others = BigInt(this.k - 1);
    return { base: fraction(this.keep * others, CERTAIN - this.keep), exponent: 1 };
  }

  /** The reports of people's answers, one after the other. */
  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.k);
    const reports = new Uint8Array(values.length * this.recordBytes);
    for (const [first, past] of blocks(values.length, 1)) {
      const honest = coins(words, this.keep, past - first);
      const lies = below(words, this.k - 1, past - first);
      for (let person = first; person < past; person++) {
        const value = values[person] as number;
        const lie = lies[person - first] as number;
        const other = lie < value ? lie : lie + 1; // skip over the truth
        const told = honest[person - first] ? value : other;
        putNumber(reports, person * this.recordBytes, this.recordBytes, told);
      }
    }
    return reports;
  }

  /** The answer that a report gives. */
  readReport(record: Uint8Array): number {
    checkLength(record, this.recordBytes);
    const answer = getNumber(record, 0, this.recordBytes);
    if (answer >= this.k) {
      throw new InvalidReport(`answers are numbered 0 to ${this.k - 1}, the report's is not`);
    }
    return answer;
  }
}
