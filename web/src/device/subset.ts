/** Subset selection: one answer of k, hidden in a set of some of them. */

import { checkAnswers } from "./categories";
import { CERTAIN, coins, wordsOf } from "./coins";
import { InvalidReport } from "./errors";
import { fraction, less, over, rest, type Fraction, type Power } from "./fractions";
import { blocks, putWords } from "./integers";
import { checkLength, ones, readRow, setBit } from "./packed";
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
import { subsets } from "./subsets";
import type { Words } from "./words";

/** A report is a set of `setSize` of the k answers; with chance `keep` the true one is in it. */
export class SubsetSelection {
  readonly name = "subset";
  readonly recordBytes: number;

  private constructor(
    readonly k: number,
    readonly setSize: number,
    readonly keep: bigint,
  ) {
    this.recordBytes = 8 * wordsOf(k);
  }

  static read(document: Unread): SubsetSelection {
    checkFields("subset", document, ["k", "size", "keep"]);
    const k = wholeNumber("k", document["k"], 2, 2 ** 32);
    const size = wholeNumber("size", document["size"], 1, k - 1);
    const keep = chance("keep", document["keep"]);
    const isAboveChance = keep * BigInt(k) > CERTAIN * BigInt(size);
    require(isAboveChance && keep < CERTAIN, "keep must be above size / k and below 1");
    return new SubsetSelection(k, size, keep);
  }

  document(): Parameters {
    return { name: this.name, k: this.k, size: this.setSize, keep: chanceText(this.keep) };
  }

  /** How many answers a collection names. */
  get size(): number {
    return this.k;
  }

  /** A set with the true answer to one without it. */
  get worstRatio(): Power {
    return { base: over(this.likely, this.unlikely), exponent: 1 };
  }

  /** The chance of one set that has the true answer, up to a factor that all sets share. */
  get likely(): Fraction {
    return over(asFraction(this.keep), fraction(BigInt(this.setSize)));
  }

  /** That of one set that hasn't. */
  get unlikely(): Fraction {
    return over(rest(asFraction(this.keep)), fraction(BigInt(this.k - this.setSize)));
  }

  /** The chance that a report has any one answer that the person doesn't hold. */
  get others(): Fraction {
    const strange = less(fraction(BigInt(this.setSize)), asFraction(this.keep));
    return over(strange, fraction(BigInt(this.k - 1)));
  }

  /** The reports of people's answers, one after the other. */
  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.k);
    const width = wordsOf(this.k);
    const reports = new Uint8Array(values.length * this.recordBytes);
    for (const [first, last] of blocks(values.length, width)) {
      const honest = coins(words, this.keep, last - first);
      const sizes = honest.map((isIn) => this.setSize - Number(isIn));
      subsets(words, this.k - 1, sizes).forEach((others, i) => {
        const row = withRoom(others, values[first + i] as number, width);
        setBit(row, values[first + i] as number, honest[i] as boolean);
        putWords(reports, (first + i) * this.recordBytes, row);
      });
    }
    return reports;
  }

  /** The bits of a report. */
  readReport(record: Uint8Array): BigUint64Array {
    checkLength(record, this.recordBytes);
    const row = readRow(record, 0, this.k);
    if (ones(row) !== this.setSize) {
      throw new InvalidReport(`a report names ${this.setSize} answers, got ${ones(row)}`);
    }
    return row;
  }
}

/** A row of one bit more: those from `place` on move up by one. */
function withRoom(bits: BigUint64Array, place: number, width: number): BigUint64Array {
  const [word, below] = [place >>> 6, (1n << BigInt(place & 63)) - 1n];
  return BigUint64Array.from({ length: width }, (_, i) => {
    const here = bits[i] ?? 0n;
    const moved = (here << 1n) | ((bits[i - 1] ?? 0n) >> 63n);
    if (i < word) return here;
    return i > word ? moved : (here & below) | (moved & ~below);
  });
}
