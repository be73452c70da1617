/**
 * What a person has spent, in each collection and for life, and the cap that they set.
 *
 * Costs add up, whatever was asked and whenever. Sums are exact: an ε is a float, a float is a
 * fraction. A window is paid for once; a collection without windows is one window.
 */

import type { Keeper } from "./diary";
import { Refused } from "./errors";
import { fraction, isLess, less, plus, times, toNumber, type Fraction } from "./fractions";

/** So many windows that follow one another, from the first. */
type Span = readonly [first: number, count: number];

interface Paid {
  readonly epsilon: number;
  readonly spans: readonly Span[];
}

const NOTHING = fraction(0n);

/** What is asked for is more than is left; nothing was sent. */
export class BudgetExceeded extends Refused {
  override readonly name = "BudgetExceeded";

  constructor(
    readonly spent: number,
    readonly asked: number,
    readonly left: number,
    readonly cap: number,
  ) {
    super(
      `ε = ${asked} is asked for; ${spent} of ${cap} is spent, ${left} is left (nothing was sent)`,
    );
  }
}

/** What a person has spent: a value, `charge` gives a new one. */
export class Ledger {
  private constructor(
    /** What all charges together may come to; null for no limit. */
    readonly cap: number | null,
    readonly paid: ReadonlyMap<string, Paid>,
  ) {}

  static readonly EMPTY = new Ledger(null, new Map());

  /** The ledger under another cap. More may be spent than it: then nothing is left. */
  capped(cap: number | null): Ledger {
    if (cap !== null && !(cap >= 0 && cap < Infinity)) {
      throw new Refused(`a cap must be at least 0 and finite, got ${cap}`);
    }
    return new Ledger(cap, this.paid);
  }

  /** Whether a window of a collection was paid for. */
  has(key: string, window: number): boolean {
    const spans = this.paid.get(key)?.spans ?? [];
    return spans.some(([first, count]) => first <= window && window < first + count);
  }

  /** The ledger after a window; the same if it was paid for. Refused where the cap forbids it. */
  charge(key: string, epsilon: number, window: number): Ledger {
    if (this.has(key, window)) return this;
    const [spent, asked] = [this.spent(), exactly(epsilon)];
    if (this.cap !== null) {
      const cap = exactly(this.cap);
      if (isLess(cap, plus(spent, asked))) {
        const left = isLess(spent, cap) ? toNumber(less(cap, spent)) : 0;
        throw new BudgetExceeded(toNumber(spent), epsilon, left, this.cap);
      }
    }
    const before = this.paid.get(key)?.spans ?? [];
    return new Ledger(
      this.cap,
      new Map(this.paid).set(key, { epsilon, spans: tidy([...before, [window, 1]]) }),
    );
  }

  /** What one collection has cost, or all together, exactly. */
  spent(key?: string): Fraction {
    return [...this.paid]
      .filter(([paidTo]) => key === undefined || key === paidTo)
      .map(([, { epsilon, spans }]) => times(exactly(epsilon), fraction(BigInt(countOf(spans)))))
      .reduce(plus, NOTHING);
  }

  /** The ledger that a keeper keeps; an empty one if there is none. */
  static open(keeper: Keeper): Ledger {
    const kept = keeper.getItem(NAME);
    return kept === null ? Ledger.EMPTY : Ledger.#read(kept);
  }

  keep(keeper: Keeper): void {
    keeper.setItem(NAME, JSON.stringify({ cap: this.cap, paid: [...this.paid] }));
  }

  static #read(kept: string): Ledger {
    try {
      const { cap, paid } = JSON.parse(kept) as { cap: unknown; paid: [unknown, Paid][] };
      const made = new Ledger(
        cap === null ? null : amount(cap),
        new Map(paid.map(([key, each]) => [text(key), readPaid(each)])),
      );
      if (made.paid.size === paid.length) return made;
    } catch {
      // one sentence for every way in which it can be wrong
    }
    throw new Refused("the device's ledger was changed, so it can't be trusted");
  }
}

const NAME = "sudare ledger";

function readPaid({ epsilon, spans }: Paid): Paid {
  const read = spans.map(([first, count]): Span => [whole(first, 0), whole(count, 1)]);
  if (JSON.stringify(tidy(read)) !== JSON.stringify(read)) throw new Refused("untidy");
  return { epsilon: amount(epsilon), spans: read };
}

function amount(value: unknown): number {
  if (typeof value === "number" && value >= 0 && value < Infinity) return value;
  throw new Refused("not an amount");
}

function whole(value: unknown, least: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new Refused("not a whole number");
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Refused("not a text");
}

function countOf(spans: readonly Span[]): number {
  return spans.reduce((sum, [, count]) => sum + count, 0);
}

/** In order, neighbours joined, no window twice. */
function tidy(spans: readonly Span[]): readonly Span[] {
  const joined: [number, number][] = [];
  for (const [first, count] of [...spans].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && first < last[0] + last[1]) throw new Refused("a window is paid for twice");
    if (last && first === last[0] + last[1]) last[1] += count;
    else joined.push([first, count]);
  }
  return joined;
}

/** A float that isn't negative, as the fraction that it is. */
function exactly(value: number): Fraction {
  let [top, bottom] = [value, 1n];
  while (!Number.isInteger(top)) [top, bottom] = [top * 2, bottom * 2n]; // exact: a power of two
  return fraction(BigInt(top), bottom);
}
