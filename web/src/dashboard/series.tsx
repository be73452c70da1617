/** A share over time: its line, its intervals and its band, with gaps where nothing is shown. */

import { useEffect, useRef, useState } from "preact/hooks";

import { useWords } from "./language";
import { scaleOf, tickText } from "../page/bars";
import { percent } from "../page/numbers";

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

const HEIGHT = 320;
const LEFT = 44;
const RIGHT = 12;
const TOP = 28;
const BOTTOM = 48;

interface SeriesProps {
  readonly points: readonly Point[];
  readonly label: string;
}

export function Series({ points, label }: SeriesProps) {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  const [pointed, point] = useState<Point | null>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(240, entry.contentRect.width));
    });
    observer.observe(box.current as Element);
    return () => observer.disconnect();
  }, []);

  const shares = points.flatMap(({ bandLow, bandHigh, share, truth }) =>
    [bandLow, bandHigh, share, truth].filter((value) => value !== null),
  );
  const scale = scaleOf(shares);
  const first = points[0]?.round ?? 1;
  const last = points.at(-1)?.round ?? 1;
  const x = (round: number): number =>
    LEFT + ((round - first) / Math.max(1, last - first)) * (width - LEFT - RIGHT);
  const y = (share: number): number =>
    TOP + ((scale.to - share) / (scale.to - scale.from)) * (HEIGHT - TOP - BOTTOM);
  const find = (clientX: number): void => {
    const left = box.current?.getBoundingClientRect().left ?? 0;
    const at = clientX - left;
    const near = points.reduce<Point | null>(
      (best, each) =>
        best && Math.abs(x(best.round) - at) <= Math.abs(x(each.round) - at) ? best : each,
      null,
    );
    point(near);
  };
  return (
    <div class="series" ref={box}>
      <svg
        role="img"
        aria-label={label}
        width={width}
        height={HEIGHT}
        onPointerMove={({ clientX }) => find(clientX)}
        onPointerLeave={() => point(null)}
      >
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line
              class={Math.abs(tick) < 1e-9 ? "zero" : "line"}
              x1={LEFT}
              x2={width - RIGHT}
              y1={y(tick)}
              y2={y(tick)}
            />
            <text class="side" x={LEFT - 6} y={y(tick) + 4}>
              {tickText(tick)}
            </text>
          </g>
        ))}
        {roundsShown(first, last, width).map((round) => (
          <text key={round} x={x(round)} y={HEIGHT - BOTTOM + 20}>
            {round}
          </text>
        ))}
        <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6}>
          {words.roundTitle}
        </text>
        <text class="first" x={0} y={12}>
          {words.sharePercent}
        </text>
        <path class="band" d={areas(points, x, y, "bandLow", "bandHigh")} />
        <path class="interval" d={areas(points, x, y, "low", "high")} />
        <path class="truth-line" d={lines(points, x, y, "truth")} />
        <path class="share-line" d={lines(points, x, y, "share")} />
        {points.map(
          ({ round, share }, i) =>
            share !== null &&
            isAlone(points, i) && (
              <circle key={round} class="share-dot" cx={x(round)} cy={y(share)} r="3" />
            ),
        )}
        {pointed && (
          <line
            class="pointer"
            x1={x(pointed.round)}
            x2={x(pointed.round)}
            y1={TOP}
            y2={HEIGHT - BOTTOM}
          />
        )}
      </svg>
      <p class="readout" aria-hidden="true">
        {pointed && readout(words, pointed)}
      </p>
    </div>
  );
}

function readout(words: ReturnType<typeof useWords>, point: Point): string {
  const { round, share, low, high } = point;
  const name = `${words.roundTitle} ${round}`;
  if (share === null || low === null || high === null) return `${name}: ${words.noEstimate}`;
  return words.summary(name, percent(share), percent(low), percent(high));
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

function areas(points: readonly Point[], x: Place, y: Place, low: Field, high: Field): string {
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

function lines(points: readonly Point[], x: Place, y: Place, field: Field): string {
  return runs(points, field)
    .map((run) => run.map((each) => `${at(x(each.round))},${at(y(each[field] as number))}`))
    .map((run) => `M${run.join("L")}`)
    .join("");
}

function at(pixels: number): string {
  return pixels.toFixed(1);
}

function isAlone(points: readonly Point[], i: number): boolean {
  return (points[i - 1]?.share ?? null) === null && (points[i + 1]?.share ?? null) === null;
}

/** The rounds that are named below: the first, then whole steps, as many as there is room for. */
function roundsShown(first: number, last: number, width: number): number[] {
  const room = Math.max(2, Math.floor(width / 80));
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, (last - first) / room))));
  const step =
    [1, 2, 5, 10].map((by) => by * power).find((by) => (last - first) / by <= room) ?? 10 * power;
  const start = Math.ceil(first / step) * step;
  return Array.from({ length: Math.floor((last - start) / step) + 1 }, (_, i) => start + i * step);
}
