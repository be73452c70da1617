/** Where a slider stops, and which of its stops is nearest to a number. */

import type { Range } from "./fields";

// About a tenth from one to the next, and all of them short.
const MANTISSAS = [10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 33, 36, 40, 45]
  .concat([50, 55, 60, 65, 70, 75, 80, 90])
  .map((each) => each / 10);

/** The numbers that a slider goes through, rising from its one end to the other. */
export function stopsOf({ from, to, isLog, isWhole }: Range): readonly number[] {
  if (!isLog) return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const found = [from];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power++) {
    for (const mantissa of MANTISSAS) {
      const stop = Number((mantissa * 10 ** power).toPrecision(2));
      if (stop > from && stop < to && (!isWhole || Number.isInteger(stop))) found.push(stop);
    }
  }
  return [...found, to];
}

/** The place of the stop that is nearest to a number. */
export function nearest(stops: readonly number[], value: number, isLog: boolean): number {
  const far = (stop: number): number =>
    isLog ? Math.abs(Math.log(stop / value)) : Math.abs(stop - value);
  let best = 0;
  stops.forEach((stop, i) => {
    if (far(stop) < far(stops[best] as number)) best = i;
  });
  return best;
}
