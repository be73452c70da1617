/** One point of many, which supports some answers: projective geometry, Hadamard, local hashing. */

import { checkAnswers } from "./categories";
import { CERTAIN, below, coins } from "./coins";
import { InvalidReport } from "./errors";
import { fraction, over, rest, type Fraction, type Power } from "./fractions";
import { blocks, getNumber, putNumber, quotient, widthOf } from "./integers";
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

const MOST_POINTS = 2 ** 26; // whose counts fill 512 MiB

/** A uniform point of those that support the answer with some chance, else one of the rest. */
export abstract class Points {
  abstract readonly name: "projective" | "hadamard" | "olh" | "loloha";
  readonly recordBytes: number;

  /**
   * @param fitting the chance that a point supports the answer that the person holds.
   * @param points how many there are.
   * @param supporting how many of them support an answer, whichever it is.
   * @param shared how many of them support two answers at once, whichever they are.
   */
  protected constructor(
    readonly k: number,
    readonly fitting: Fraction,
    readonly points: number,
    readonly supporting: number,
    readonly shared: number,
  ) {
    require(points <= MOST_POINTS, `there are at most 2^26 points, got ${points}`);
    this.recordBytes = widthOf(points - 1);
  }

  abstract document(): Parameters;

  /** Whether a point supports an answer. */
  abstract supports(point: number, answer: number): boolean;

  /** The reports of people's answers, one after the other. */
  abstract randomize(values: readonly number[], words: Words): Uint8Array;

  /** How many answers a collection names. */
  get size(): number {
    return this.k;
  }

  /** The chance of a point that supports the answer. */
  get likely(): Fraction {
    return over(this.fitting, fraction(BigInt(this.supporting)));
  }

  /** The chance of a point that doesn't support the answer. */
  get unlikely(): Fraction {
    return over(rest(this.fitting), fraction(BigInt(this.points - this.supporting)));
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

  /** Points as reports, one after the other. */
  protected records(points: readonly number[]): Uint8Array {
    const reports = new Uint8Array(points.length * this.recordBytes);
    points.forEach((point, i) => putNumber(reports, i * this.recordBytes, this.recordBytes, point));
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

/** Reports of people's answers that are drawn block by block, as Python does. */
function drawn(
  values: readonly number[],
  draw: (values: readonly number[]) => readonly number[],
): number[] {
  return blocks(values.length, 1).flatMap(([first, past]) => draw(values.slice(first, past)));
}

/** That a chance is above that of the support by any point at all. */
function checkKeep(keep: bigint, { points, supporting }: Points): void {
  const allowed = keep * BigInt(points) > CERTAIN * BigInt(supporting) && keep < CERTAIN;
  require(allowed, `keep must be above ${supporting}/${points} and below 1`);
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
    readonly keep: bigint,
    readonly prime: number,
    readonly dimension: number,
  ) {
    const spaces = [0, 0, 1]; // points of the spaces of dimension −2, −1, 0, …
    while (spaces.length < dimension + 3) spaces.push((spaces.at(-1) as number) * prime + 1);
    const [shared, supporting, points] = spaces.slice(-3) as [number, number, number];
    super(k, asFraction(keep), points, supporting, shared);
    checkKeep(keep, this);
  }

  static read(document: Unread): ProjectiveGeometry {
    checkFields("projective", document, ["k", "keep", "prime", "dimension"]);
    const [k, prime, dimension] = readHashes(document);
    return new ProjectiveGeometry(k, chance("keep", document["keep"]), prime, dimension);
  }

  document(): Parameters {
    const { name, k, prime, dimension } = this;
    return { name, k, keep: chanceText(this.keep), prime, dimension };
  }

  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.k);
    return this.records(drawn(values, (block) => this.#draw(block, words)));
  }

  #draw(values: readonly number[], words: Words): number[] {
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
    const product = innerProduct(left + leading, value, this.prime);
    return 1 + this.prime * side + ((product + off) % this.prime);
  }
}

/**
 * A row of a Hadamard matrix, mostly one with a + in the answer's column.
 *
 * Row y has it for answer x if y and x + 1 have an even number of ones in common.
 */
export class HadamardResponse extends Points {
  readonly name = "hadamard";

  private constructor(
    k: number,
    readonly keep: bigint,
    points: number,
  ) {
    super(k, asFraction(keep), points, quotient(points, 2), quotient(points, 4));
    checkKeep(keep, this);
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

  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.k);
    return this.records(drawn(values, (block) => this.#draw(block, words)));
  }

  #draw(values: readonly number[], words: Words): number[] {
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

/**
 * A seed and a cell, which is the answer's hash by it or another one.
 *
 * The hash of x by a is ⟨a, x⟩ modulo `prime`: two answers have the same one by exactly one seed in
 * so many. Point prime · a + cell supports the answers whose hash the cell is.
 */
export abstract class Hashes extends Points {
  protected constructor(
    k: number,
    fitting: Fraction,
    readonly prime: number,
    readonly dimension: number,
  ) {
    const seeds = prime ** dimension;
    super(k, fitting, prime * seeds, seeds, quotient(seeds, prime));
  }

  /** The hash of an answer by a seed. */
  cell(seed: number, answer: number): number {
    return innerProduct(seed, answer, this.prime);
  }

  supports(point: number, answer: number): boolean {
    const seed = quotient(point, this.prime);
    return this.prime * seed + this.cell(seed, answer) === point;
  }
}

/** Optimal local hashing: with chance `keep` the cell is the answer's, else another one. */
export class LocalHashing extends Hashes {
  readonly name = "olh";

  private constructor(
    k: number,
    readonly keep: bigint,
    prime: number,
    dimension: number,
  ) {
    super(k, asFraction(keep), prime, dimension);
    checkKeep(keep, this);
  }

  static read(document: Unread): LocalHashing {
    checkFields("olh", document, ["k", "keep", "prime", "dimension"]);
    const [k, prime, dimension] = readHashes(document);
    return new LocalHashing(k, chance("keep", document["keep"]), prime, dimension);
  }

  document(): Parameters {
    const { name, k, prime, dimension } = this;
    return { name, k, keep: chanceText(this.keep), prime, dimension };
  }

  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.k);
    return this.records(drawn(values, (block) => this.#draw(block, words)));
  }

  #draw(values: readonly number[], words: Words): number[] {
    const honest = coins(words, this.keep, values.length);
    const lies = below(words, this.points - this.supporting, values.length);
    return values.map((value, i) => {
      const lie = lies[i] as number;
      const seed = lie % this.supporting;
      const off = honest[i] ? 0 : quotient(lie, this.supporting) + 1;
      return this.prime * seed + ((this.cell(seed, value) + off) % this.prime);
    });
  }
}

/** ⟨a, x⟩ modulo a prime, of vectors that are numbers to that base. */
function innerProduct(left: number, answer: number, prime: number): number {
  let [a, x, product] = [left, answer, 0];
  while (a > 0 && x > 0) {
    product = (product + (a % prime) * (x % prime)) % prime;
    a = quotient(a, prime);
    x = quotient(x, prime);
  }
  return product;
}

/** How many answers there are, a prime, and how many digits to its base number the answers. */
export function readHashes(document: Unread): [k: number, prime: number, dimension: number] {
  const k = wholeNumber("k", document["k"], 2, 2 ** 32);
  const prime = wholeNumber("prime", document["prime"], 2, MOST_POINTS - 1);
  require(isPrime(prime), `prime must be a prime, got ${prime}`);
  const dimension = wholeNumber("dimension", document["dimension"], 1, 32);
  let digits = 1;
  for (let numbers = prime; numbers < k; numbers *= prime) digits++;
  require(dimension === digits, `${k} answers have ${digits} digits to the base ${prime}`);
  return [k, prime, dimension];
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
