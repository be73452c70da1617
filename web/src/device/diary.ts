/**
 * What a device must not forget: how far it has come in each stream.
 *
 * Noise drawn in advance protects one state of a round, not two: told again with another state, the
 * round would give away that they differ. So a round is noted before its report is made.
 */

import { Refused, RoundPassed } from "./errors";

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

/** The last round that a device observed of each collection. */
export class Diary {
  constructor(readonly keeper: Keeper) {}

  /** The last round observed of a collection; 0 if there is none. */
  last(key: string): number {
    const kept = this.keeper.getItem(name(key));
    if (kept === null) return 0;
    const last = /^[1-9][0-9]{0,15}$/.test(kept) ? Number(kept) : NaN;
    if (!Number.isSafeInteger(last)) {
      throw new Refused("the device's diary was changed, so it can't be trusted");
    }
    return last;
  }

  /** Note that a round is being observed; one that isn't later than the last is refused. */
  note(key: string, round: number): void {
    const last = this.last(key);
    if (round <= last) {
      throw new RoundPassed(
        `round ${round} can't be observed any more: round ${last} was the last one ` +
          `(nothing was sent)`,
      );
    }
    this.keeper.setItem(name(key), `${round}`);
  }
}

function name(key: string): string {
  return `sudare last round ${key}`;
}
