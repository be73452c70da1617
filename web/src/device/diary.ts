/**
 * What a device must not forget: how far it has come in each collection, and what that has cost.
 *
 * Noise drawn in advance protects one state of a round, not two: told again with another state, the
 * round would give away that they differ. So a round is noted before its report is made, and so is a
 * window that is answered, and every cost.
 */

import { Refused, RoundPassed } from "./errors";
import { Ledger } from "./ledger";

/** Where the notes are kept: `localStorage` is one such place. */
export interface Keeper {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

/** A place that is forgotten with the page. */
export class Memory implements Keeper {
  readonly #kept = new Map<string, string>();

  getItem(name: string): string | null {
    return this.#kept.get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    this.#kept.set(name, value);
  }
}

/** The last round or window that a device told of each collection; its owner's ledger. */
export class Diary {
  constructor(readonly keeper: Keeper) {}

  get ledger(): Ledger {
    return Ledger.open(this.keeper);
  }

  /** The last round observed of a collection, or window answered from 1 on; 0 if there is none. */
  last(key: string): number {
    const kept = this.keeper.getItem(name(key));
    if (kept === null) return 0;
    const last = /^[1-9][0-9]{0,15}$/.test(kept) ? Number(kept) : NaN;
    if (!Number.isSafeInteger(last)) {
      throw new Refused("the device's diary was changed, so it can't be trusted");
    }
    return last;
  }

  /** The first window of a collection that may still be answered. */
  nextWindow(key: string): number {
    // Pages of before noted the windows that were answered in the ledger only.
    return Math.max(this.last(key), this.ledger.beyond(key));
  }

  /**
   * Note that a round is being observed, and pay for its window if that is new; a round that isn't
   * later than the last is refused.
   */
  note(key: string, round: number, epsilon: number, window: number): void {
    const last = this.last(key);
    if (round <= last) {
      throw new RoundPassed(
        `round ${round} can't be observed any more: round ${last} was the last one ` +
          `(nothing was sent)`,
      );
    }
    this.#pay((ledger) => ledger.charge(key, epsilon, window));
    this.keeper.setItem(name(key), `${round}`);
  }

  /**
   * Note that an answer is being told, and pay for it; a window (null where there are none) that
   * isn't later than the last is refused.
   */
  noteAnswer(key: string, window: number | null, pay: (ledger: Ledger) => Ledger): void {
    const next = window === null ? 0 : this.nextWindow(key);
    if (window !== null && window < next) {
      throw new RoundPassed(
        `window ${window} can't be answered any more: window ${next - 1} was the last one, and ` +
          `each is answered once (nothing was sent)`,
      );
    }
    this.#pay(pay);
    if (window !== null) this.keeper.setItem(name(key), `${window + 1}`);
  }

  /** Charge first: what fails afterwards has cost too much, never too little. */
  #pay(pay: (ledger: Ledger) => Ledger): void {
    const before = this.ledger;
    const after = pay(before);
    if (after !== before) after.save(this.keeper);
  }
}

function name(key: string): string {
  return `sudare last round ${key}`;
}
