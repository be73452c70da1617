/** Mechanisms whose noise a device keeps, so that many reports of one answer cost no more and more. */

import { logUp, nextUp, type Power } from "./fractions";
import type { Digest } from "./strings";
import type { Words } from "./words";

const EXACT_REPORTS = 1000; // of which fractions stay quick: they have 53 bits per report

/** A mechanism with a step that is drawn once for good, and one that is drawn for every report. */
export interface Memoised<Kept> {
  /** Of all reports that rest on one noise together; null where nothing bounds it. */
  readonly lifetimeRatio: Power | null;
  /** What so many of these reports cost together, rounded up. */
  epsilonOf(reports: number): number;
  /** A number for each device, drawn once for good, whatever it answers. */
  assign(count: number, words: Words): Uint32Array;
  /** What of an answer noise is kept for: the whole of it, or what answers share. */
  remembered(value: number | Digest, assigned: number): number | Digest;
  permanent(values: readonly (number | Digest)[], assigned: Uint32Array, words: Words): Kept;
  instant(kept: Kept, assigned: Uint32Array, words: Words): Uint8Array;
}

/** What so many reports cost together whose worst ratio is known. */
export function epsilonOf(
  reports: number,
  ratioOf: (reports: number) => Power,
  lifetime: Power | null,
): number {
  if (reports <= EXACT_REPORTS) return logUp(ratioOf(reports));
  // Neither is below the truth: k reports cost no more than k times one, or than all.
  const each = nextUp(reports * logUp(ratioOf(1)));
  return Math.min(each, lifetime ? logUp(lifetime) : Infinity);
}
