/** The square wave: a number's bin, reported by a window around it, for the distribution. */

import { checkAnswers } from "./categories";
import { CERTAIN, below, coins } from "./coins";
import { InvalidReport } from "./errors";
import { fraction, type Fraction, type Power } from "./fractions";
import { blocks, getNumber, putNumber, quotient, widthOf } from "./integers";
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

const MOST_STEPS = 2 ** 20;
const MOST_BINS = 2 ** 10;

/**
 * One of the outputs in the window that begins at the number's bin with chance `keep`, else another.
 *
 * Values are the numbers 0 … steps, which lie in `bins` bins of equal width.
 */
export class SquareWave {
  readonly name = "wave";
  readonly recordBytes: number;
  readonly outputs: number;

  private constructor(
    readonly steps: number,
    readonly bins: number,
    readonly width: number,
    readonly keep: bigint,
  ) {
    this.outputs = bins + width - 1;
    this.recordBytes = widthOf(this.outputs - 1);
  }

  static read(document: Unread): SquareWave {
    checkFields("wave", document, ["steps", "bins", "width", "keep"]);
    const steps = wholeNumber("steps", document["steps"], 1, MOST_STEPS);
    const bins = wholeNumber("bins", document["bins"], 2, Math.min(MOST_BINS, steps + 1));
    const width = wholeNumber("width", document["width"], 1, bins);
    const keep = chance("keep", document["keep"]);
    const allowed = keep * BigInt(bins + width - 1) > CERTAIN * BigInt(width) && keep < CERTAIN;
    require(allowed, `keep must be above ${width}/${bins + width - 1} and below 1`);
    return new SquareWave(steps, bins, width, keep);
  }

  document(): Parameters {
    const { name, steps, bins, width } = this;
    return { name, steps, bins, width, keep: chanceText(this.keep) };
  }

  /** How many labels a collection has: the two ends of the range. */
  get size(): number {
    return 2;
  }

  /** The chance of an output of the window. */
  get inside(): Fraction {
    return fraction(this.keep, CERTAIN * BigInt(this.width));
  }

  /** The chance of any other output. */
  get outside(): Fraction {
    return fraction(CERTAIN - this.keep, CERTAIN * BigInt(this.bins - 1));
  }

  /** An output in the window of one number, outside that of another. */
  get worstRatio(): Power {
    const { keep, bins, width } = this;
    const top = keep * BigInt(bins - 1);
    return { base: fraction(top, (CERTAIN - keep) * BigInt(width)), exponent: 1 };
  }

  /** The bin of a number. */
  binOf(value: number): number {
    return quotient(value * this.bins, this.steps + 1);
  }

  /** The chance of an output under a number. */
  chanceOf(output: number, value: number): Fraction {
    const bin = this.binOf(value);
    return bin <= output && output < bin + this.width ? this.inside : this.outside;
  }

  /** The least and the largest number in whose windows an output lies. */
  numbersOf(output: number): [least: number, most: number] {
    const [first, last] = [Math.max(0, output - this.width + 1), Math.min(output, this.bins - 1)];
    return [this.#least(first), this.#least(last + 1) - 1];
  }

  /** The least number of a bin. */
  #least(bin: number): number {
    return Math.ceil((bin * (this.steps + 1)) / this.bins);
  }

  /** The reports of people's numbers, one after the other. */
  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.steps + 1);
    const reports = new Uint8Array(values.length * this.recordBytes);
    for (const [first, past] of blocks(values.length, 1)) {
      const honest = coins(words, this.keep, past - first);
      const near = below(words, this.width, past - first);
      const far = below(words, this.bins - 1, past - first);
      for (let person = first; person < past; person++) {
        const bin = this.binOf(values[person] as number);
        const lie = far[person - first] as number;
        const other = lie < bin ? lie : lie + this.width; // skip over the window
        const told = honest[person - first] ? bin + (near[person - first] as number) : other;
        putNumber(reports, person * this.recordBytes, this.recordBytes, told);
      }
    }
    return reports;
  }

  /** The output that a report gives. */
  readReport(record: Uint8Array): number {
    checkLength(record, this.recordBytes);
    const output = getNumber(record, 0, this.recordBytes);
    if (output >= this.outputs) {
      throw new InvalidReport(`outputs are numbered 0 to ${this.outputs - 1}, the report's is not`);
    }
    return output;
  }
}
