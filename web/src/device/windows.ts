/** Windows of time: which one it is now, and which round. */

import type { Collection } from "./collection";
import { Refused } from "./errors";
import { Glance } from "./glance";

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
  if (!(mechanism instanceof Glance)) {
    return { window, number: null, ends: windows.start + (window + 1) * windows.seconds };
  }
  const each = windows.seconds / mechanism.rounds; // whole: the document was checked
  const number = Math.floor(passed / each) + 1;
  return { window, number, ends: windows.start + number * each };
}

/**
 * The window that an answer is of: the one asked for, or that which is open by the clock; null where
 * the collection has none.
 */
export function answeredWindow(collection: Collection, asked: number | undefined): number | null {
  const { name, windows } = collection;
  if (windows === null) {
    if ((asked ?? 0) === 0) return null;
    throw new Refused(`“${name}” has one window, number 0`);
  }
  const window = asked ?? momentOf(collection, Date.now() / 1000)?.window;
  if (window === undefined) throw new Refused(`“${name}” hasn't begun (nothing was sent)`);
  return window;
}
