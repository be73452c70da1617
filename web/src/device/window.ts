/** The window mechanism: a number, rounded at random to a node, reported by a window around it. */

import { checkAnswers } from "./categories";
import { CERTAIN, below, coins } from "./coins";
import { InvalidDocument, InvalidReport } from "./errors";
import {
  fraction,
  over,
  plus,
  rest,
  times,
  toNumber,
  type Fraction,
  type Power,
} from "./fractions";
import { blocks } from "./integers";
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

const MOST_STEPS = 2 ** 20;
const MOST_SCORE = 2 ** 31;
const MOST_OUTPUTS = 256; // a report is one byte
const MOST_BOUND = 2n ** 32n; // of a number that is drawn

/**
 * Values are the numbers 0 … steps. Node i is the window of `width` outputs that begins with output
 * i; the sums of the scores in the windows say where the nodes lie. A number is rounded to one of
 * the two nodes next to it, so that the mean is the number. With chance `keep` the report is an
 * output of the node's window, else one of the others.
 */
export class Window {
  readonly name = "window";
  readonly recordBytes = 1;
  /** Where each node lies, in ticks, of which a number has `#ticks` for each of its steps. */
  readonly #places: readonly number[];
  readonly #ticks: number;
  /** What a number is drawn below to round by. */
  readonly #bound: number;

  private constructor(
    readonly steps: number,
    readonly width: number,
    readonly keep: bigint,
    readonly scores: readonly number[],
  ) {
    const own = scores.slice(width).map((score, i) => score - (scores[i] as number));
    require(own.every((gap) => gap > 0), `each score must be above the one ${width} before it`);
    const common = own.reduce(divisor);
    const gaps = own.map((gap) => gap / common);
    const ends = gaps.reduce((sum, gap) => sum + gap, 0);
    const shared = divisor(steps, ends);
    const bound = gaps.reduce((found, gap) => multiple(found, BigInt(gap)), 1n);
    const drawn = bound * BigInt(steps / shared);
    require(drawn <= MOST_BOUND, "rounding to such nodes takes a number above 2^32");
    let place = 0;
    this.#places = [0, ...gaps.map((gap) => (place += (gap * steps) / shared))];
    this.#ticks = ends / shared;
    this.#bound = Number(drawn);
  }

  static read(document: Unread): Window {
    checkFields("window", document, ["steps", "width", "keep", "scores"]);
    const steps = wholeNumber("steps", document["steps"], 1, MOST_STEPS);
    const told = document["scores"];
    if (!Array.isArray(told) || told.length < 2 || told.length > MOST_OUTPUTS) {
      throw new InvalidDocument(`scores must be a list of 2 to ${MOST_OUTPUTS} whole numbers`);
    }
    const scores = told.map((score) => wholeNumber("a score", score, -MOST_SCORE, MOST_SCORE));
    const width = wholeNumber("width", document["width"], 1, scores.length - 1);
    const keep = chance("keep", document["keep"]);
    const allowed = keep * BigInt(scores.length) > CERTAIN * BigInt(width) && keep < CERTAIN;
    require(allowed, `keep must be above ${width}/${scores.length} and below 1`);
    return new Window(steps, width, keep, scores);
  }

  document(): Parameters {
    const { name, steps, width, keep, scores } = this;
    return { name, steps, width, keep: chanceText(keep), scores };
  }

  /** How many answers a collection names: the two ends of the range. */
  get size(): number {
    return 2;
  }

  /** How many outputs there are: one for each score. */
  get outputs(): number {
    return this.scores.length;
  }

  /** How many nodes there are: one for each window. */
  get nodes(): number {
    return this.scores.length - this.width + 1;
  }

  /** An output in the window of one number, outside that of another. */
  get worstRatio(): Power {
    const { inside, outside } = this.chances;
    return { base: over(inside, outside), exponent: 1 };
  }

  /** The chance of an output in a node's window, and of one outside it. */
  get chances(): { readonly inside: Fraction; readonly outside: Fraction } {
    const keep = asFraction(this.keep);
    return {
      inside: over(keep, fraction(BigInt(this.width))),
      outside: over(rest(keep), fraction(BigInt(this.nodes - 1))),
    };
  }

  /** The node below a number, and how many of `#bound` draws take the one above it. */
  #rounding(value: number): [node: number, rise: number] {
    const ticks = value * this.#ticks;
    const above = this.#places.findIndex((place) => place > ticks);
    const node = (above < 0 ? this.nodes : above) - 1;
    const lower = Math.min(node, this.nodes - 2);
    const [from, to] = [this.#places[lower] as number, this.#places[lower + 1] as number];
    return [lower, (ticks - from) * (this.#bound / (to - from))];
  }

  /** The reports of people's numbers, one after the other. */
  randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.steps + 1);
    const reports = new Uint8Array(values.length);
    for (const [first, past] of blocks(values.length, 1)) {
      const count = past - first;
      const drawn = below(words, this.#bound, count);
      const honest = coins(words, this.keep, count);
      const inside = below(words, this.width, count);
      const outside = below(words, this.nodes - 1, count);
      for (let i = 0; i < count; i++) {
        const [lower, rise] = this.#rounding(values[first + i] as number);
        const node = (drawn[i] as number) < rise ? lower + 1 : lower;
        const lie = outside[i] as number;
        const other = lie < node ? lie : lie + this.width; // skip over the window
        reports[first + i] = honest[i] ? node + (inside[i] as number) : other;
      }
    }
    return reports;
  }

  /** The chance of an output under a number. */
  chanceOf(output: number, value: number): Fraction {
    const { inside, outside } = this.chances;
    const [lower, rise] = this.#rounding(value);
    const at = (node: number): Fraction =>
      node <= output && output < node + this.width ? inside : outside;
    const up = fraction(BigInt(rise), BigInt(this.#bound));
    return plus(times(up, at(lower + 1)), times(rest(up), at(lower)));
  }

  /** What a report counts in the mean, in steps: over the law of a number, the number. */
  part(output: number): number {
    const [inside, outside] = [toNumber(this.chances.inside), toNumber(this.chances.outside)];
    const sum = (scores: readonly number[]): number => scores.reduce((all, score) => all + score);
    const told = inside - outside;
    const [low, high] = [this.scores.slice(0, this.width), this.scores.slice(-this.width)].map(sum);
    const least = outside * sum(this.scores) + told * (low as number);
    const slope = this.steps / (told * ((high as number) - (low as number)));
    return slope * ((this.scores[output] as number) - least);
  }

  /** The output that a report names. */
  readReport(record: Uint8Array): number {
    checkLength(record, this.recordBytes);
    const output = record[0] as number;
    if (output >= this.scores.length) {
      const last = this.scores.length - 1;
      throw new InvalidReport(`outputs are numbered 0 to ${last}, the report's is not`);
    }
    return output;
  }
}

function divisor(a: number, b: number): number {
  let [low, high] = [a, b];
  while (low > 0) [low, high] = [high % low, low];
  return high;
}

function multiple(a: bigint, b: bigint): bigint {
  let [low, high] = [a, b];
  while (low > 0n) [low, high] = [high % low, low];
  return (a / high) * b;
}
