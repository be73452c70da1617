/** Ranges of numbers in equal steps: their ends are decimals, and nothing is rounded. */

import { InvalidDocument } from "./errors";
import { exactly, fraction, type Fraction } from "./fractions";

const PLAIN = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/;
const NUMBER = /^([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?$/;
const DIGITS = 15;
const LONGEST = 60; // characters and powers of ten of a number that is read digit by digit

/** A number in a range, as the steps that it is above the least. */
export interface Placed {
  readonly steps: number;
  /** Whether the number lies outside the range, and has been taken for its end. */
  readonly isClipped: boolean;
}

/** The numbers from one end to another in so many steps. All are whole in units of 10^-decimals. */
export class Range {
  readonly decimals: number;
  readonly #low: bigint;
  readonly #step: bigint;

  constructor(
    readonly ends: readonly [string, string],
    readonly steps: number,
  ) {
    for (const end of ends) {
      if (!PLAIN.test(end)) {
        throw new InvalidDocument("an end of a range is a decimal such as 18 or -1.5");
      }
    }
    const [least, most] = ends.map((end) => inUnits(end, DIGITS)) as [bigint, bigint];
    const span = most - least;
    if (span <= 0n) throw new InvalidDocument("a range goes up");
    if (span % BigInt(steps) !== 0n) {
      throw new InvalidDocument(`${steps} steps of this range are of no decimal each`);
    }
    const step = span / BigInt(steps);
    let unit = 10n ** BigInt(DIGITS);
    let decimals = 0;
    while ([least, most, step].some((number) => number % unit !== 0n)) {
      unit /= 10n;
      decimals++;
    }
    this.decimals = decimals;
    this.#low = least / unit;
    this.#step = step / unit;
    const largest = [this.#low, most / unit].map((end) => (end < 0n ? -end : end));
    if (largest.some((end) => end >= 10n ** BigInt(DIGITS))) {
      throw new InvalidDocument(`numbers of this range have more than ${DIGITS} digits`);
    }
  }

  /** The distance of a number to the next, as text. */
  get step(): string {
    return this.#text(this.#step);
  }

  /** The number that is so many steps above the least, as text. */
  textOf(steps: number): string {
    return this.#text(this.#low + BigInt(steps) * this.#step);
  }

  /** The nearest step of a number in text, the upper of two; null if it is no number. */
  place(text: string): Placed | null {
    const number = read(text.trim());
    if (number === null) return null;
    const scale = 10n ** BigInt(this.decimals);
    const above = number.top * scale - this.#low * number.bottom; // in units, times bottom
    const one = this.#step * number.bottom;
    const nearest = floor(2n * above + one, 2n * one);
    const last = BigInt(this.steps);
    const steps = nearest < 0n ? 0n : nearest > last ? last : nearest;
    return { steps: Number(steps), isClipped: above < 0n || above > last * one };
  }

  #text(units: bigint): string {
    const digits = `${units < 0n ? -units : units}`.padStart(this.decimals + 1, "0");
    const cut = digits.length - this.decimals;
    const part = digits.slice(cut).replace(/0+$/, "");
    return `${units < 0n ? "-" : ""}${digits.slice(0, cut)}${part && `.${part}`}`;
  }
}

function inUnits(text: string, places: number): bigint {
  const [whole = "", part = ""] = text.replace("-", "").split(".");
  const units = BigInt(whole + part.padEnd(places, "0"));
  return text.startsWith("-") ? -units : units;
}

/** A number as people write it, exactly; of very long ones, what a float makes of it. */
function read(text: string): Fraction | null {
  const [, sign, whole = "", part = "", power = "0"] = NUMBER.exec(text) ?? [];
  if (sign === undefined || whole + part === "") return null;
  const size = sizeOf(whole, part, Number(power), text.length);
  return sign === "-" ? { top: -size.top, bottom: size.bottom } : size;
}

function sizeOf(whole: string, part: string, power: number, length: number): Fraction {
  if (length > LONGEST || Math.abs(power) > LONGEST) {
    return exactly(Math.min(Number.MAX_VALUE, Number(`${whole}.${part}e${power}`)));
  }
  const digits = BigInt(whole + part);
  const places = part.length - power;
  return places > 0
    ? fraction(digits, 10n ** BigInt(places))
    : fraction(digits * 10n ** BigInt(-places));
}

function floor(top: bigint, bottom: bigint): bigint {
  const found = top / bottom;
  return top % bottom < 0n ? found - 1n : found;
}
