/** Set response (PrivSet): several answers of k, reported as a set that meets them or not. */

import { CERTAIN, coins, wordsOf } from "./coins";
import { InvalidAnswer, InvalidReport } from "./errors";
import {
  fraction,
  isLess,
  less,
  over,
  plus,
  rest,
  times,
  type Fraction,
  type Power,
} from "./fractions";
import { blocks, putWords } from "./integers";
import { checkLength, getBit, ones, readRow, setBit } from "./packed";
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

const MOST_LISTED = 2 ** 16; // answers: a report has a bit for each
const ONE = fraction(1n);

/** A selection: 1 for an answer that is selected, 0 for any other. */
export type Selected = readonly number[];

/**
 * A report is a set of `setSize` of `items`: the k answers, and `most` blanks that fill up a
 * selection. With chance `keep` it has some of the person's items, else none.
 */
export class SetResponse {
  readonly name = "set";
  readonly items: number;
  readonly recordBytes: number;
  /** The chances that a set with 1, 2, 3 … of a person's items has one more. */
  readonly more: readonly bigint[];

  private constructor(
    readonly k: number,
    readonly most: number,
    readonly setSize: number,
    readonly keep: bigint,
  ) {
    this.items = k + most;
    this.recordBytes = 8 * wordsOf(this.items);
    this.more = this.#coins();
  }

  static read(document: Unread): SetResponse {
    checkFields("set", document, ["k", "most", "size", "keep"]);
    const k = wholeNumber("k", document["k"], 2, MOST_LISTED);
    const most = wholeNumber("most", document["most"], 1, k);
    const size = wholeNumber("size", document["size"], 1, k);
    const made = new SetResponse(k, most, size, chance("keep", document["keep"]));
    const { keep } = made;
    const isTossed = (edge: bigint): boolean => 0n < edge && edge < CERTAIN;
    require(made.more.every(isTossed), "size and most need coins that can't be tossed exactly");
    require(isTossed(keep) && made.#saysSomething, "keep must be above blind chance, and below 1");
    return made;
  }

  document(): Parameters {
    const { name, k, most, setSize, keep } = this;
    return { name, k, most, size: setSize, keep: chanceText(keep) };
  }

  /** How many answers a collection names. */
  get size(): number {
    return this.k;
  }

  /** The likeliest report that has some of a person's items, to one with none. */
  get worstRatio(): Power {
    const chances = this.setChances();
    const high = chances.reduce((a, b) => (isLess(a, b) ? b : a));
    const low = chances.reduce((a, b) => (isLess(b, a) ? b : a));
    return { base: over(high, low), exponent: 1 };
  }

  /** The chance of 0, 1, 2 … of a person's items in a report. */
  law(): Fraction[] {
    let reached = asFraction(this.keep);
    const chances = [rest(reached)];
    for (const edge of this.more) {
      const going = times(reached, asFraction(edge));
      chances.push(less(reached, going));
      reached = going;
    }
    return [...chances, reached];
  }

  /** The chance of one set with 0, 1, 2 … of a person's items, up to a factor that all share. */
  setChances(): Fraction[] {
    let sets = ONE;
    return this.law().map((chance, own) => {
      if (own > 0) sets = times(sets, this.#growth(own - 1));
      return over(chance, sets);
    });
  }

  /** The chance that a report has one item that is the person's own, and one that isn't. */
  get said(): { readonly holder: Fraction; readonly others: Fraction } {
    const mean = this.law()
      .map((chance, own) => times(chance, fraction(BigInt(own))))
      .reduce(plus);
    const strange = less(fraction(BigInt(this.setSize)), mean);
    return {
      holder: over(mean, fraction(BigInt(this.most))),
      others: over(strange, fraction(BigInt(this.k))),
    };
  }

  get #saysSomething(): boolean {
    const [none, ...some] = this.setChances();
    const { holder, others } = this.said;
    return some.every((each) => isLess(none as Fraction, each)) && isLess(others, holder);
  }

  /** How many sets have one more of a person's items, for each that has `own`. */
  #growth(own: number): Fraction {
    const { k, most, setSize } = this;
    return fraction(
      BigInt(most - own) * BigInt(setSize - own),
      BigInt(own + 1) * BigInt(k - setSize + own + 1),
    );
  }

  #coins(): bigint[] {
    const edges: bigint[] = [];
    let more = fraction(0n, 1n);
    for (let own = Math.min(this.most, this.setSize) - 1; own > 0; own--) {
      more = times(this.#growth(own), plus(ONE, more)); // sets with more, for each with so many
      edges.unshift(nearest(over(more, plus(ONE, more))));
    }
    return edges;
  }

  /** The reports of people's selections, one after the other. */
  randomize(values: readonly Selected[], words: Words): Uint8Array {
    values.forEach((value, where) => this.#check(value, where));
    const reports = new Uint8Array(values.length * this.recordBytes);
    for (const [first, past] of blocks(values.length, wordsOf(this.items))) {
      const count = past - first;
      let going = coins(words, this.keep, count);
      const overlap = going.map(Number);
      for (const edge of this.more) {
        const more = coins(words, edge, count); // for everybody, also where the set is settled
        going = going.map((goes, i) => goes && (more[i] as boolean));
        going.forEach((goes, i) => (overlap[i] = (overlap[i] as number) + Number(goes)));
      }
      const own = subsets(words, this.most, overlap);
      const strange = subsets(
        words,
        this.k,
        overlap.map((of) => this.setSize - of),
      );
      for (let i = 0; i < count; i++) {
        const row = this.#placed(values[first + i] as Selected, own[i], strange[i]);
        putWords(reports, (first + i) * this.recordBytes, row);
      }
    }
    return reports;
  }

  /** A report with the i-th of a person's items if `own` has i, and so of all others. */
  #placed(
    value: Selected,
    own: BigUint64Array = new BigUint64Array(),
    strange: BigUint64Array = new BigUint64Array(),
  ): BigUint64Array {
    const row = new BigUint64Array(wordsOf(this.items));
    const held = this.held(value);
    let [mine, other] = [0, 0];
    for (let item = 0; item < this.items; item++) {
      setBit(row, item, held.has(item) ? getBit(own, mine++) : getBit(strange, other++));
    }
    return row;
  }

  /** A person's items: the answers that are selected, and blanks until there are enough. */
  held(value: Selected): ReadonlySet<number> {
    const held = new Set(value.flatMap((is, answer) => (is === 1 ? [answer] : [])));
    for (let blank = this.k; held.size < this.most; blank++) held.add(blank);
    return held;
  }

  #check(value: unknown, where: number): void {
    const isRow =
      Array.isArray(value) && value.length === this.k && value.every((is) => is === 0 || is === 1);
    const fault = !isRow
      ? `is not a row of ${this.k} numbers, 0 or 1`
      : value.reduce((sum: number, is: number) => sum + is, 0) > this.most
        ? `has more than ${this.most} answers`
        : null;
    if (fault !== null) {
      throw new InvalidAnswer(
        `the selection at position ${where} ${fault} (nothing was randomised)`,
      );
    }
  }

  /** The items of a report, as bits. */
  readReport(record: Uint8Array): BigUint64Array {
    checkLength(record, this.recordBytes);
    const row = readRow(record, 0, this.items);
    if (ones(row) !== this.setSize) {
      throw new InvalidReport(`a report is a set of ${this.setSize} of ${this.items} items`);
    }
    return row;
  }
}

/** The multiple of 2^-53 nearest to a chance, in these units; the even one of two. */
function nearest({ top, bottom }: Fraction): bigint {
  const [doubled, whole] = [2n * top * CERTAIN, 2n * bottom];
  const down = doubled / whole;
  const past = doubled - down * whole;
  return past > bottom || (past === bottom && down % 2n === 1n) ? down + 1n : down;
}
