/** Unary encoding: one bit per answer, each flipped on its own. OUE and SUE differ in the odds. */

import { checkAnswers } from "./categories";
import { CERTAIN, coins, packed, wordsOf } from "./coins";
import { fraction, type Power } from "./fractions";
import { putWords } from "./integers";
import { checkLength, readRow, setBit } from "./packed";
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

/** Bit i of a report is 1 with chance `p` if i is the answer, and `q` if not. */
export class Unary {
  readonly recordBytes: number;

  private constructor(
    readonly name: "oue" | "sue",
    readonly k: number,
    readonly p: bigint,
    readonly q: bigint,
  ) {
    this.recordBytes = 8 * wordsOf(k);
  }

  static readOue(document: Unread): Unary {
    const made = Unary.#read("oue", document);
    require(2n * made.p === CERTAIN, `OUE has p = 1/2, got ${chanceText(made.p)}`);
    return made;
  }

  static readSue(document: Unread): Unary {
    const made = Unary.#read("sue", document);
    require(made.p + made.q === CERTAIN, "SUE has p = 1 − q, the document's p is another");
    return made;
  }

  static #read(name: "oue" | "sue", document: Unread): Unary {
    checkFields(name, document, ["k", "p", "q"]);
    const k = wholeNumber("k", document["k"], 2, 2 ** 32);
    const p = chance("p", document["p"]);
    const q = chance("q", document["q"]);
    require(0n < q && q < p && p < CERTAIN, "p and q must satisfy 0 < q < p < 1");
    return new Unary(name, k, p, q);
  }

  document(): Parameters {
    return { name: this.name, k: this.k, p: chanceText(this.p), q: chanceText(this.q) };
  }

  /** How many answers a collection names. */
  get size(): number {
    return this.k;
  }

  /** Two answers differ in two bits: p(1 − q) / ((1 − p)q). */
  get worstRatio(): Power {
    const { p, q } = this;
    return { base: fraction(p * (CERTAIN - q), (CERTAIN - p) * q), exponent: 1 };
  }

  /** The reports of people's answers, one after the other. */
  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.k);
    const width = wordsOf(this.k);
    const noise = packed(words, this.q, values.length, this.k);
    const heads = coins(words, this.p, values.length);
    values.forEach((value, person) => {
      const row = noise.subarray(person * width, (person + 1) * width);
      setBit(row, value, heads[person] as boolean);
    });
    const reports = new Uint8Array(values.length * this.recordBytes);
    putWords(reports, 0, noise);
    return reports;
  }

  /** The bits of a report. */
  readReport(record: Uint8Array): BigUint64Array {
    checkLength(record, this.recordBytes);
    return readRow(record, 0, this.k);
  }
}
