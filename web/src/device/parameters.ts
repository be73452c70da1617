/** A mechanism's parameters, read strictly from a document and written back in the one way. */

import type { Json } from "./canonical";
import { CERTAIN } from "./coins";
import { InvalidDocument } from "./errors";
import { fraction, type Fraction } from "./fractions";

/** A JSON object whose fields nobody has looked at. */
export type Unread = Readonly<Record<string, unknown>>;

const FRACTION = /^([0-9]{1,16})(?:\/([1-9][0-9]{0,15}))?$/; // 2^53 has 16 digits

/** Refuse a document that has other fields than these. */
export function checkFields(what: string, document: Unread, wanted: readonly string[]): void {
  const given = Object.keys(document).filter((name) => name !== "name");
  if (given.length !== wanted.length || !wanted.every((name) => given.includes(name))) {
    throw new InvalidDocument(`${what} takes the parameters ${wanted.join(", ")}, and no others`);
  }
}

/** A whole number between two others. */
export function wholeNumber(name: string, value: unknown, least: number, most: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw new InvalidDocument(`${name} must be a whole number below 2^53`);
  }
  if (value < least || value > most) {
    throw new InvalidDocument(`${name} must be between ${least} and ${most}, got ${value}`);
  }
  return value === 0 ? 0 : value; // not −0
}

/** A probability such as "3/4" in units of 2^-53. There is one way to write it. */
export function chance(name: string, value: unknown): bigint {
  const parts = typeof value === "string" ? FRACTION.exec(value) : null;
  if (parts) {
    const top = BigInt(parts[1] as string);
    const bottom = BigInt(parts[2] ?? "1");
    const edge = (top * CERTAIN) / bottom;
    if (top <= bottom && edge * bottom === top * CERTAIN && chanceText(edge) === value) return edge;
  }
  throw new InvalidDocument(`${name} must be a reduced binary fraction such as "3/4"`);
}

/** A probability as documents write it. */
export function chanceText(edge: bigint): string {
  const { top, bottom } = asFraction(edge);
  return bottom === 1n ? `${top}` : `${top}/${bottom}`;
}

/** A probability as a fraction. */
export function asFraction(edge: bigint): Fraction {
  return fraction(edge, CERTAIN);
}

/** Refuse a parameter that breaks its rule. */
export function require(holds: boolean, rule: string): void {
  if (!holds) throw new InvalidDocument(rule);
}

/** A mechanism's document. */
export type Parameters = { readonly [name: string]: Json };
