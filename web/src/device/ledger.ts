/**
 * What a person has spent, in each collection and for life, and the cap that they set.
 *
 * The rules are those of src/sudare/privacy/ledger.py; tests/golden/ledger.json holds both to them.
 * Costs add up, whatever was asked and whenever. Sums are exact: an ε is a float, a float is a
 * fraction. Only what is shown is rounded, against the claim: spent upwards, left downwards.
 */

import type { Keeper } from "./diary";
import { Refused } from "./errors";
import { exactly, fraction, isLess, less, plus, roundDown, roundUp, times } from "./fractions";
import type { Fraction } from "./fractions";
import { wholeFrom } from "./integers";

/** So many windows that follow one another, from the first; or single reports, counted from 0. */
type Span = readonly [first: number, count: number];

interface Paid {
  readonly epsilon: number;
  readonly spans: readonly Span[];
}

/** Reports of one answer whose noise is kept, and what they cost, all together. */
interface Kept {
  readonly reports: number;
  readonly epsilon: number;
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

/** What a person has spent: a value, `charge` and `keep` give a new one. */
export class Ledger {
  private constructor(
    /** What all charges together may come to; null for no limit. */
    readonly cap: number | null,
    readonly paid: ReadonlyMap<string, Paid>,
    /** By collection and by what stands for an answer, which is never the answer itself. */
    readonly kept: ReadonlyMap<string, ReadonlyMap<string, Kept>>,
  ) {}

  static readonly EMPTY = new Ledger(null, new Map(), new Map());

  /** The ledger under another cap. More may be spent than it: then nothing is left. */
  capped(cap: number | null): Ledger {
    if (cap !== null && !(cap >= 0 && cap < Infinity)) {
      throw new Refused(`a cap must be at least 0 and finite, got ${cap}`);
    }
    return new Ledger(cap, this.paid, this.kept);
  }

  /** Whether anything was paid to a collection. */
  knows(key: string): boolean {
    return this.paid.has(key) || this.kept.has(key);
  }

  /** Whether a window of a collection was paid for. */
  has(key: string, window: number): boolean {
    const spans = this.paid.get(key)?.spans ?? [];
    return spans.some(([first, count]) => first <= window && window < first + count);
  }

  /** The window after the last one of a collection that was paid for; 0 if none was. */
  beyond(key: string): number {
    const [first, count] = this.paid.get(key)?.spans.at(-1) ?? [0, 0];
    return first + count;
  }

  /**
   * The ledger after a cost; `BudgetExceeded` where the cap forbids it.
   *
   * A window is paid for once, and costs nothing after that. Without one (null) it is a single
   * report, and each costs. A collection has windows or hasn't: its reports are counted as if each
   * were a window.
   */
  charge(key: string, epsilon: number, window: number | null): Ledger {
    text(key);
    price(epsilon);
    const before = this.paid.get(key);
    const place = wholeFrom(0, window ?? this.beyond(key), "window");
    if (before && before.epsilon !== epsilon) {
      throw new Refused(`ε = ${before.epsilon} was paid for this before; now it is ${epsilon}`);
    }
    if (this.has(key, place)) return this;
    this.#afford(exactly(epsilon));
    const spans = tidy([...(before?.spans ?? []), [place, 1]]);
    return new Ledger(this.cap, new Map(this.paid).set(key, { epsilon, spans }), this.kept);
  }

  /**
   * The ledger after so many reports, with those before, of one answer whose noise is kept.
   *
   * `epsilon` is what they cost all together: only what that is more than was paid for the answer
   * before is new.
   */
  keep(key: string, answer: string, reports: number, epsilon: number): Ledger {
    text(key);
    text(answer);
    wholeFrom(1, reports, "report");
    price(epsilon);
    const before = this.kept.get(key)?.get(answer) ?? { reports: 0, epsilon: 0 };
    if (reports <= before.reports) return this;
    if (epsilon < before.epsilon) {
      throw new Refused(
        `${reports} reports are said to cost ε = ${epsilon}, less than the ${before.epsilon} that ` +
          `was paid for fewer`,
      );
    }
    this.#afford(less(exactly(epsilon), exactly(before.epsilon)));
    const answers = new Map(this.kept.get(key)).set(answer, { reports, epsilon });
    return new Ledger(this.cap, this.paid, new Map(this.kept).set(key, answers));
  }

  /** How many reports of one kept answer were paid for. */
  reportsOf(key: string, answer: string): number {
    return this.kept.get(key)?.get(answer)?.reports ?? 0;
  }

  #afford(asked: Fraction): void {
    const { cap, left } = this;
    const spent = this.spent();
    if (cap === null || left === null || !isLess(exactly(cap), plus(spent, asked))) return;
    throw new BudgetExceeded(roundUp(spent), roundUp(asked), roundDown(left), cap);
  }

  /** What one collection has cost, or all together, exactly. */
  spent(key?: string): Fraction {
    const isMeant = ([paidTo]: readonly [string, unknown]): boolean =>
      key === undefined || key === paidTo;
    const paid = [...this.paid]
      .filter(isMeant)
      .map(([, { epsilon, spans }]) => times(exactly(epsilon), fraction(BigInt(countOf(spans)))));
    const kept = [...this.kept]
      .filter(isMeant)
      .flatMap(([, answers]) => [...answers.values()].map(({ epsilon }) => exactly(epsilon)));
    return [...paid, ...kept].reduce(plus, NOTHING);
  }

  /** How much may still be spent, exactly; null where there is no cap. */
  get left(): Fraction | null {
    if (this.cap === null) return null;
    const [cap, spent] = [exactly(this.cap), this.spent()];
    return isLess(spent, cap) ? less(cap, spent) : NOTHING;
  }

  /** The ledger that a keeper keeps; an empty one if there is none. */
  static open(keeper: Keeper): Ledger {
    const kept = keeper.getItem(NAME);
    return kept === null ? Ledger.EMPTY : Ledger.#read(kept);
  }

  save(keeper: Keeper): void {
    const kept = [...this.kept].map(([key, answers]) => [key, [...answers]]);
    const written = { cap: this.cap, paid: [...this.paid], ...(kept.length > 0 && { kept }) };
    keeper.setItem(NAME, JSON.stringify(written));
  }

  static #read(written: string): Ledger {
    try {
      const { cap, paid, kept } = JSON.parse(written) as Written;
      return new Ledger(
        cap === null ? null : amount(cap),
        readMap(paid, readPaid),
        readMap(kept ?? [], (answers) => readMap(answers, readKept)),
      );
    } catch {
      // one sentence for every way in which it can be wrong
    }
    throw new Refused("the device's ledger was changed, so it can't be trusted");
  }
}

const NAME = "sudare ledger";

type Entries<Value> = readonly [unknown, Value][];

interface Written {
  readonly cap: unknown;
  readonly paid: Entries<Paid>;
  readonly kept?: Entries<Entries<Kept>>;
}

/** A map of entries, none of them twice. */
function readMap<Value, Read>(entries: Entries<Value>, read: (value: Value) => Read) {
  const made = new Map(entries.map(([key, value]) => [text(key), read(value)]));
  if (made.size !== entries.length) throw new Refused("an entry stands twice");
  return made;
}

function readPaid({ epsilon, spans }: Paid): Paid {
  const read = spans.map(([first, count]): Span => [
    wholeFrom(0, first, "window"),
    wholeFrom(1, count, "window"),
  ]);
  if (JSON.stringify(tidy(read)) !== JSON.stringify(read)) throw new Refused("untidy");
  return { epsilon: price(epsilon), spans: read };
}

function readKept({ reports, epsilon }: Kept): Kept {
  return { reports: wholeFrom(1, reports, "report"), epsilon: price(epsilon) };
}

/** What something costs: nothing is free. */
function price(value: unknown): number {
  if (amount(value) > 0) return value as number;
  throw new Refused(`epsilon must be above 0 and finite, got ${value as number}`);
}

function amount(value: unknown): number {
  if (typeof value === "number" && value >= 0 && value < Infinity) return value;
  throw new Refused("an amount must be at least 0 and finite");
}

function text(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Refused("a collection and an answer are named by texts that aren't empty");
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
