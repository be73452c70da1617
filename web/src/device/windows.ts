/** Windows of time: which one it is now, and which round. */

import type { Collection } from "./collection";
import { Continual } from "./continual";
import { Refused } from "./errors";
import { wholeFrom } from "./integers";

/** Where a moment lies in a collection's windows. */
export interface Moment {
  /** The window, from 0; where there is only one, 0. */
  readonly window: number;
  /** Over time: the round counted from 1 over all windows. Else, or without windows: null. */
  readonly number: number | null;
  /** When the window, or over time the round, ends, as Unix time; null if nothing says so. */
  readonly ends: number | null;
}

/** The window and the round of a moment (Unix time in seconds); null before the first window. */
export function momentOf(collection: Collection, now: number): Moment | null {
  const { windows, mechanism } = collection;
  if (!windows) return { window: 0, number: null, ends: null };
  const passed = now - windows.start;
  if (passed < 0) return null;
  const window = Math.floor(passed / windows.seconds);
  if (!(mechanism instanceof Continual)) {
    return { window, number: null, ends: windows.start + (window + 1) * windows.seconds };
  }
  const each = windows.seconds / mechanism.rounds; // whole: the document was checked
  const number = Math.floor(passed / each) + 1;
  return { window, number, ends: windows.start + number * each };
}

/**
 * The window that an answer is of: the one asked for, or that which is open by the clock; null where
 * the collection has none. One that is yet to come is refused: noted in the diary, it would silence
 * the device until then.
 */
export function answeredWindow(collection: Collection, asked?: number): number | null {
  const { name, windows } = collection;
  if (asked !== undefined) wholeFrom(0, asked, "window");
  if (windows === null) {
    if (!asked) return null;
    throw new Refused(`“${name}” has one window, number 0, got ${asked}`);
  }
  const now = momentOf(collection, Date.now() / 1000)?.window ?? -1;
  if (now < (asked ?? 0)) throw yetToCome(collection, `window ${asked ?? 0}`);
  return asked ?? now;
}

/** Refuse a round that nothing can be observed in: no number of one, or by the clock yet to come. */
export function checkObserved(collection: Collection, round: number): void {
  wholeFrom(1, round, "round");
  const now = momentOf(collection, Date.now() / 1000)?.number ?? 0;
  if (collection.windows && now < round) throw yetToCome(collection, `round ${round}`);
}

function yetToCome({ name }: Collection, what: string): Refused {
  return new Refused(`${what} of “${name}” hasn't begun by the clock (nothing was sent)`);
}
