/** The course of a share: which of its points are drawn, and the paths through them. */

/** A round; null where there is no number. */
export interface Point {
  readonly round: number;
  readonly share: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly bandLow: number | null;
  readonly bandHigh: number | null;
  readonly truth: number | null;
}

/** Rounds that are seen, the first and the last. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

const CLOSEST = 10; // rounds

/** A span with so many times its rounds, around one of them, within another one. */
export function zoomed({ first, last }: Span, by: number, around: number, within: Span): Span {
  const most = within.last - within.first;
  const length = Math.min(most, Math.max(CLOSEST, Math.round((last - first) * by)));
  const part = (around - first) / Math.max(1, last - first); // stays where it is
  return moved({ first: around - Math.round(part * length), last: 0 }, length, within);
}

/** A span that holds a round, moved as little as need be. */
export function holding({ first, last }: Span, round: number, within: Span): Span {
  const by = Math.min(0, round - first) + Math.max(0, round - last);
  return moved({ first: first + by, last }, last - first, within);
}

function moved({ first }: Span, length: number, within: Span): Span {
  const start = Math.max(within.first, Math.min(first, within.last - length));
  return { first: start, last: Math.min(within.last, start + length) };
}

/** The lowest and the highest of all that is drawn. */
export function reach(points: readonly Point[]): number[] {
  let [low, high] = [0, 0];
  for (const { bandLow, bandHigh, share, truth } of points) {
    for (const value of [bandLow, bandHigh, share, truth]) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return [low, high];
}

/**
 * Points of which at most so many are drawn. Neighbours become two, the lowest share and the
 * highest, with the widest of their intervals: nothing that stands out is lost.
 */
export function thinned(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points;
  const each = Math.ceil((2 * points.length) / most);
  const groups = Array.from({ length: Math.ceil(points.length / each) }, (_, i) =>
    points.slice(i * each, (i + 1) * each),
  );
  return groups.flatMap((group) => {
    const shown = group.filter(({ share }) => share !== null);
    const some = shown.length > 0 ? shown : group;
    const least = some.reduce((a, b) => ((b.share ?? 0) < (a.share ?? 0) ? b : a));
    const greatest = some.reduce((a, b) => ((b.share ?? 0) > (a.share ?? 0) ? b : a));
    const wide = {
      low: end(some, "low", Math.min),
      high: end(some, "high", Math.max),
      bandLow: end(some, "bandLow", Math.min),
      bandHigh: end(some, "bandHigh", Math.max),
    };
    const pair = least.round < greatest.round ? [least, greatest] : [greatest, least];
    const apart = pair[0] === pair[1] ? [pair[0]] : pair;
    return apart.map((point) => ({ ...(point as Point), ...wide }));
  });
}

function end(
  points: readonly Point[],
  field: Field,
  choose: (...numbers: number[]) => number,
): number | null {
  const numbers = points.map((point) => point[field]).filter((number) => number !== null);
  return numbers.length > 0 ? choose(...numbers) : null;
}

type Field = "share" | "low" | "high" | "bandLow" | "bandHigh" | "truth";
type Place = (value: number) => number;

/** Points in a row that have numbers. */
function runs(points: readonly Point[], ...fields: Field[]): Point[][] {
  const found: Point[][] = [[]];
  for (const point of points) {
    if (fields.every((field) => point[field] !== null)) found.at(-1)?.push(point);
    else if (found.at(-1)?.length) found.push([]);
  }
  return found.filter((run) => run.length > 0);
}

const HALF = 1.5; // pixels: a run of one round has a width, too

export function areas(
  points: readonly Point[],
  x: Place,
  y: Place,
  low: Field,
  high: Field,
): string {
  return runs(points, low, high)
    .map((run) => {
      const ends = run.length === 1 ? [-HALF, HALF] : [0];
      const side = (field: Field): string[] =>
        run.flatMap((each) =>
          ends.map((by) => `${at(x(each.round) + by)},${at(y(each[field] as number))}`),
        );
      return `M${side(high).join("L")}L${side(low).reverse().join("L")}Z`;
    })
    .join("");
}

export function lines(points: readonly Point[], x: Place, y: Place, field: Field): string {
  return runs(points, field)
    .map((run) => run.map((each) => `${at(x(each.round))},${at(y(each[field] as number))}`))
    .map((run) => `M${run.join("L")}`)
    .join("");
}

function at(pixels: number): string {
  return pixels.toFixed(1);
}

export function isAlone(points: readonly Point[], i: number): boolean {
  return (points[i - 1]?.share ?? null) === null && (points[i + 1]?.share ?? null) === null;
}

/** The rounds that are named below: the first, then whole steps, as many as there is room for. */
export function roundsShown(first: number, last: number, width: number): number[] {
  const room = Math.max(2, Math.floor(width / 80));
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, (last - first) / room))));
  const step =
    [1, 2, 5, 10].map((by) => by * power).find((by) => (last - first) / by <= room) ?? 10 * power;
  const start = Math.ceil(first / step) * step;
  return Array.from({ length: Math.floor((last - start) / step) + 1 }, (_, i) => start + i * step);
}
