/** What numbers of a plan mean, as counts that anybody can imagine: `results/planning.py` says the same. */

/** A chance as so many of so many. */
export interface OutOf {
  readonly right: number;
  readonly of: number;
}

const BASES = [100, 1000, 10_000, 100_000, 1_000_000];

/** A chance as so many of so many, never all of them and never none. */
export function outOf(chance: number, bases: readonly number[] = BASES): OutOf {
  const isTold = (of: number): boolean =>
    0 < Math.round(chance * of) && Math.round(chance * of) < of;
  const of = bases.find(isTold) ?? (bases.at(-1) as number);
  return { right: Math.min(Math.max(1, Math.round(chance * of)), of - 1), of };
}

/** The chance to see what is to be seen. */
export function seenOf(power: number): OutOf {
  return outOf(power, [10, ...BASES]);
}

/** How often somebody is right at most who bets on one of two answers. */
export function betOf(epsilon: number): OutOf {
  const wrong = 1 / (1 + Math.exp(epsilon));
  for (const of of BASES) {
    const right = of - Math.floor(wrong * of); // rounded up, so that "at most" stays true
    if (right < of) return { right, of };
  }
  const of = BASES.at(-1) as number;
  return { right: of, of };
}

/** Up to which ε each word for it stands; the last one has no end. */
const ENDS = [0.1, 0.7, 1.5, 3.5, 8] as const;
export type Strength = 0 | 1 | 2 | 3 | 4 | 5;

/** Which word an ε has, from hardly telling anything to telling the truth. */
export function strengthOf(epsilon: number): Strength {
  const found = ENDS.findIndex((end) => epsilon <= end);
  return (found < 0 ? ENDS.length : found) as Strength;
}

/** Of so many people who give an answer, and as many who don't, how many reports fit it. */
export function fitsOf(
  own: number,
  other: number,
): {
  readonly of: number;
  readonly own: number;
  readonly other: number;
} {
  const of = Math.max(outOf(own).of, outOf(other).of);
  return { of, own: outOf(own, [of]).right, other: outOf(other, [of]).right };
}
