/** Scales by factors: where a number lies on them, and which numbers have a line. */

/** A scale from one number to a larger one; both are above 0. */
export interface LogScale {
  readonly from: number;
  readonly to: number;
}

const NARROW = 4; // a scale that goes up by less has room added

/** The scale of some numbers. */
export function logScale(values: readonly number[]): LogScale {
  const [from, to] = [Math.min(...values), Math.max(...values)];
  return to < NARROW * from ? { from: from / 2, to: 2 * to } : { from, to };
}

/** Whether a number has a place on a scale. */
export function isOn({ from, to }: LogScale, value: number): boolean {
  return from <= value && value <= to;
}

/** Where a number lies, from 0 at the scale's one end to 1 at the other. */
export function placeOn({ from, to }: LogScale, value: number): number {
  return Math.log(value / from) / Math.log(to / from);
}

/** Round numbers on a scale, at most so many: 1, 2 and 5 of each power of ten, or fewer powers. */
export function ticksOf(scale: LogScale, most: number): readonly number[] {
  const [first, last] = [Math.floor(Math.log10(scale.from)), Math.ceil(Math.log10(scale.to))];
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const all = (steps: readonly number[], every: number): readonly number[] =>
    powers
      .filter((power) => power % every === 0)
      .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
      .filter((tick) => isOn(scale, tick));
  const fine = all([1, 2, 5], 1);
  if (fine.length <= most) return fine;
  for (let every = 1; ; every++) {
    const ticks = all([1], every);
    if (ticks.length <= most) return ticks;
  }
}
