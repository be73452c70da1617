/** Numbers for people: rounded against the claim, and as counts of people. */

import { toNumber, type Odds } from "../device";

/** What is spent or promised, in a few digits, never less than it is. */
export function upTo(value: number, digits = 4): string {
  return rounded(value, digits, 1);
}

/** What is left, in a few digits, never more than it is. */
export function downTo(value: number, digits = 4): string {
  return rounded(value, digits, -1);
}

/** A number in a few digits, moved by one of the last if it would lie on the wrong side. */
function rounded(value: number, digits: number, side: 1 | -1): string {
  const near = Number(value.toPrecision(digits));
  const unit = 10 ** (Math.floor(Math.log10(value)) + 1 - digits);
  return `${side * near < side * value ? Number((near + side * unit).toPrecision(digits)) : near}`;
}

/** Of so many people, how many are reported as what they are, and how many as any one other. */
export interface People {
  readonly of: number;
  readonly truth: number;
  readonly other: number;
}

/** Odds as counts of 100 people, or of more where a count would vanish. */
export function peopleOf(odds: Odds): People {
  const [truth, other] = [toNumber(odds.truth), toNumber(odds.other)];
  const rarest = Math.min(truth, other, 1 - truth, 1 - other);
  let of = 100;
  while (of * rarest < 0.5 && of < 1e6) of *= 10;
  return { of, truth: Math.round(of * truth), other: Math.round(of * other) };
}

/** A share in per cent, with one digit after the point. */
export function percent(share: number): string {
  const text = (100 * share).toFixed(1);
  return text === "-0.0" ? "0.0" : text.replace("-", "−");
}

/** Bytes as people compare them: hexadecimal, in groups of four bytes. */
export function grouped(hex: string): string {
  return hex.replace(/.{8}(?=.)/g, "$& ");
}

/** A p-value as `results/wording.py` says it: two digits, and no more zeros than anyone reads. */
export function pValue(value: number): string {
  if (value < 0.0001) return "< 0.0001";
  return value.toFixed(Math.min(4, 1 - Math.floor(Math.log10(value))));
}
