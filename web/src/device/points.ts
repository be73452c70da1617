/** One point of many, which supports some of the answers: projective geometry and Hadamard. */

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

const MOST_POINTS = 2 ** 26; // whose counts fill 512 MiB

/** A uniform point of those that support the answer with chance `keep`, else one of the rest. */
export abstract class Points {
  abstract readonly name: "projective" | "hadamard";
  readonly recordBytes: number;

  /**
   * @param points how many there are.
   * @param supporting how many of them support an answer, whichever it is.
   * @param shared how many of them support two answers at once, whichever they are.
   */
  protected constructor(
    readonly k: number,
    readonly keep: bigint,
    readonly points: number,
    readonly supporting: number,
    readonly shared: number,
  ) {
    require(points <= MOST_POINTS, `there are at most 2^26 points, got ${points}`);
    const allowed = keep * BigInt(points) > CERTAIN * BigInt(supporting) && keep < CERTAIN;
    require(allowed, `keep must be above ${supporting}/${points} and below 1`);
    this.recordBytes = widthOf(points - 1);
  }

  abstract document(): Parameters;

  /** Whether a point supports an answer. */
  abstract supports(point: number, answer: number): boolean;

  /** The points of some people's answers. */
  protected abstract draw(values: readonly number[], words: Words): number[];

  /** How many answers a collection names. */
  get size(): number {
    return this.k;
  }

  /** The chance of a point that supports the answer. */
  get likely(): Fraction {
    return fraction(this.keep, CERTAIN * BigInt(this.supporting));
  }

  /** The chance of a point that doesn't support the answer. */
  get unlikely(): Fraction {
    return fraction(CERTAIN - this.keep, CERTAIN * BigInt(this.points - this.supporting));
  }

  /** The chance that a report supports any one answer that the person doesn't hold. */
  get others(): Fraction {
    const { likely, unlikely } = this;
    const both = BigInt(this.shared) * likely.top * unlikely.bottom;
    const alone = BigInt(this.supporting - this.shared) * unlikely.top * likely.bottom;
    return fraction(both + alone, likely.bottom * unlikely.bottom);
  }

  /** A point's chance where it supports the answer, over that where it doesn't. */
  get worstRatio(): Power {
    const { likely, unlikely } = this;
    const top = likely.top * unlikely.bottom;
    return { base: fraction(top, likely.bottom * unlikely.top), exponent: 1 };
  }

  /** The reports of people's answers, one after the other. */
  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.k);
    const reports = new Uint8Array(values.length * this.recordBytes);
    for (const [first, past] of blocks(values.length, 1)) {
      this.draw(values.slice(first, past), words).forEach((point, i) =>
        putNumber(reports, (first + i) * this.recordBytes, this.recordBytes, point),
      );
    }
    return reports;
  }

  /** The point that a report gives. */
  readReport(record: Uint8Array): number {
    checkLength(record, this.recordBytes);
    const point = getNumber(record, 0, this.recordBytes);
    if (point >= this.points) {
      throw new InvalidReport(`points are numbered 0 to ${this.points - 1}, the report's is not`);
    }
    return point;
  }
}

/**
 * An equation ⟨w, x⟩ = z over the field of `prime` elements, which the answer x may solve.
 *
 * Point 0 is ⟨0, x⟩ = 1, which nothing solves. Point 1 + prime · u + z is that of the u-th w and z.
 * They are numbered by how many digits follow their leading 1, then by these digits.
 */
export class ProjectiveGeometry extends Points {
  readonly name = "projective";

  private constructor(
    k: number,
    keep: bigint,
    readonly prime: number,
    readonly dimension: number,
  ) {
    const spaces = [0, 0, 1]; // points of the spaces of dimension −2, −1, 0, …
    while (spaces.length < dimension + 3) spaces.push((spaces.at(-1) as number) * prime + 1);
    const [shared, supporting, points] = spaces.slice(-3) as [number, number, number];
    super(k, keep, points, supporting, shared);
  }

  static read(document: Unread): ProjectiveGeometry {
    checkFields("projective", document, ["k", "keep", "prime", "dimension"]);
    const k = wholeNumber("k", document["k"], 2, 2 ** 32);
    const prime = wholeNumber("prime", document["prime"], 2, MOST_POINTS - 1);
    require(isPrime(prime), `prime must be a prime, got ${prime}`);
    const dimension = wholeNumber("dimension", document["dimension"], 1, 32);
    let digits = 1;
    for (let numbers = prime; numbers < k; numbers *= prime) digits++;
    require(dimension === digits, `${k} answers have ${digits} digits to the base ${prime}`);
    return new ProjectiveGeometry(k, chance("keep", document["keep"]), prime, dimension);
  }

  document(): Parameters {
    const { name, k, prime, dimension } = this;
    return { name, k, keep: chanceText(this.keep), prime, dimension };
  }

  protected draw(values: readonly number[], words: Words): number[] {
    const honest = coins(words, this.keep, values.length);
    const solved = below(words, this.supporting, values.length);
    const unsolved = below(words, this.points - this.supporting, values.length);
    return values.map((value, i) => {
      if (honest[i]) return this.#point(solved[i] as number, value, 0);
      const number = unsolved[i] as number;
      if (number === 0) return 0; // each other w has prime − 1 numbers that ⟨w, x⟩ isn't
      const off = (number - 1) % (this.prime - 1);
      return this.#point(quotient(number - 1, this.prime - 1), value, off + 1);
    });
  }

  supports(point: number, answer: number): boolean {
    if (point === 0) return false;
    return this.#point(quotient(point - 1, this.prime), answer, 0) === point;
  }

  /** The equation of a numbered w and of ⟨w, x⟩, which is then off by so much. */
  #point(side: number, value: number, off: number): number {
    let [left, leading] = [side, 1];
    while (left >= leading) {
      left -= leading;
      leading *= this.prime;
    }
    left += leading;
    let answer = value;
    let product = off;
    while (left > 0) {
      product = (product + (left % this.prime) * (answer % this.prime)) % this.prime;
      left = quotient(left, this.prime);
      answer = quotient(answer, this.prime);
    }
    return 1 + this.prime * side + product;
  }
}

/**
 * A row of a Hadamard matrix, mostly one with a + in the answer's column.
 *
 * Row y has it for answer x if y and x + 1 have an even number of ones in common.
 */
export class HadamardResponse extends Points {
  readonly name = "hadamard";

  private constructor(k: number, keep: bigint, points: number) {
    super(k, keep, points, quotient(points, 2), quotient(points, 4));
  }

  static read(document: Unread): HadamardResponse {
    checkFields("hadamard", document, ["k", "keep"]);
    const k = wholeNumber("k", document["k"], 2, 2 ** 32);
    let points = 4;
    while (points <= k) points *= 2;
    return new HadamardResponse(k, chance("keep", document["keep"]), points);
  }

  document(): Parameters {
    return { name: this.name, k: this.k, keep: chanceText(this.keep) };
  }

  protected draw(values: readonly number[], words: Words): number[] {
    const honest = coins(words, this.keep, values.length);
    const numbers = below(words, this.supporting, values.length);
    return values.map((value, i) => {
      const column = value + 1;
      const deciding = column & -column; // this bit of the row makes the sign what it should be
      const number = numbers[i] as number;
      const lower = number & (deciding - 1);
      const row = ((number - lower) << 1) | lower;
      return isEven(row & column) === honest[i] ? row : row | deciding;
    });
  }

  supports(point: number, answer: number): boolean {
    return isEven(point & (answer + 1));
  }
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) {
    if (number % divisor === 0) return false;
  }
  return true;
}

/** Whether a number below 2^31 has an even number of ones. */
function isEven(bits: number): boolean {
  let folded = bits;
  for (let half = 16; half > 0; half >>= 1) folded ^= folded >> half;
  return (folded & 1) === 0;
}
