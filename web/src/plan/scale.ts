/** Scales by factors: where a number lies on them, and which of them have a line. */

/** A scale from one number to a larger one; both are above 0. */
export interface LogScale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

/** The scale of some numbers, with room for them and at most so many lines. */
export function logScale(values: readonly number[], most: number): LogScale {
  let [from, to] = [Math.min(...values), Math.max(...values)];
  if (to < 4 * from) [from, to] = [from / 2, to * 2];
  for (const [steps, every] of [
    [[1, 2, 5], 1],
    [[1], 1],
    [[1], 2],
    [[1], 3],
  ] as const) {
    const first = Math.floor(Math.log10(from)) - every;
    const ticks: number[] = [];
    for (let power = first - (((first % every) + every) % every); 10 ** power <= to; power += every)
      for (const step of steps) ticks.push(Number(`${step}e${power}`));
    const seen = ticks.filter((tick) => from <= tick && tick <= to);
    if (seen.length <= most) return { from, to, ticks: seen };
  }
  return { from, to, ticks: [from, to] };
}

/** Where a number lies, from 0 at the scale's one end to 1 at the other. */
export function placeOn({ from, to }: LogScale, value: number): number {
  return Math.log(value / from) / Math.log(to / from);
}
