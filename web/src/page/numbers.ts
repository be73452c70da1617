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

/** A share in per cent, with so many digits after the point; what rounds to zero has no sign. */
export function percent(share: number, decimals = 1): string {
  const text = (100 * share).toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A difference of shares in points, with its sign. */
export function points(share: number, decimals: number): string {
  const text = percent(share, decimals);
  return /^−|^[0.]+$/.test(text) ? text : `+${text}`;
}

/** Half the width of the widest interval in points, never less than it is. */
export function marginOf(
  rows: readonly { readonly low: number; readonly high: number }[],
  decimals: number,
): string {
  const widest = Math.max(0, ...rows.map(({ low, high }) => 50 * (high - low)));
  return (Math.ceil(widest * 10 ** decimals - 1e-9) / 10 ** decimals).toFixed(decimals);
}

/** The decimals that give an error in per cent two digits, as `results/wording.py` has them. */
export function decimalsFor(error: number): number {
  return error > 0 ? Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(error)))) : 2;
}

/** The decimals of shares in per cent: those that the middle one of their errors gives. */
export function decimalsOf(errors: readonly number[]): number {
  const sorted = [...errors].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = ((sorted[middle] ?? 0) + (sorted[(sorted.length - 1) >> 1] ?? 0)) / 2;
  return decimalsFor(100 * median);
}

/**
 * A number as it is typed, in the letters that a program reads: keyboards for Japanese write
 * ２１．５ and －3, and what a page shows as −3 may come back by copying.
 */
export function typed(text: string): string {
  return text
    .normalize("NFKC")
    .trim()
    .replace(/^[\u2010-\u2015\u2212\u30fc]/, "-")
    .replace("。", ".")
    .replace(/^-?[0-9]{1,3}(,[0-9]{3})+(?=\.|$)/, (grouped) => grouped.replaceAll(",", ""));
}

/** A decimal as it is read: with the sign of a minus, and groups of three where it is long. */
export function shownNumber(decimal: string): string {
  const grouped = (digits: string): string => digits.replace(/\B(?=([0-9]{3})+$)/g, ",");
  return decimal.replace("-", "−").replace(/^−?[0-9]{5,}/, grouped);
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
