/** A share over time: its line, its intervals and its band, with gaps where nothing is shown. */

import { useMemo, useRef, useState } from "preact/hooks";

import { scaleOf, tickText } from "../page/bars";
import { percent, points as signedPoints } from "../page/numbers";
import { useWidth } from "../page/width";
import {
  areas,
  holding,
  isAlone,
  lines,
  reach,
  thinned,
  zoomed,
  type Point,
  type Span,
} from "./course";
import { useWords, type Words } from "./language";
import type { Axis } from "./times";

const HEIGHT = 320;
const LEFT = 44;
const RIGHT = 20;
const TOP = 28;
const BOTTOM = 48; // with a title below the axis
const BOTTOM_ALONE = 28;
/** Rounds from which zooming helps. */
export const MANY = 100;

interface SeriesProps {
  readonly points: readonly Point[];
  readonly label: string;
  readonly axis: Axis;
  /** Digits after the point, in per cent. */
  readonly decimals: number;
  /** Whether these are differences, in points. */
  readonly signed?: boolean;
}

export function Series({ points, label, axis, decimals, signed = false }: SeriesProps) {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const whole = { first: points[0]?.round ?? 1, last: points.at(-1)?.round ?? 1 };
  const [chosen, choose] = useState<Span | null>(null); // null for all rounds
  const [round, turnTo] = useState<number | null>(null);
  // Another window may have fewer rounds.
  const span = chosen && chosen.last <= whole.last ? chosen : whole;
  const x = (at: number): number =>
    LEFT + ((at - span.first) / Math.max(1, span.last - span.first)) * (width - LEFT - RIGHT);
  const pointed = points.find((each) => each.round === round);
  const read = (point: Point): string => readout(words, axis, point, decimals, signed);

  const point = (at: number): void => {
    const near = Math.max(whole.first, Math.min(whole.last, at));
    turnTo(near);
    if (chosen) choose(holding(span, near, whole));
  };
  const find = (clientX: number): void => {
    const at = clientX - (box.current?.getBoundingClientRect().left ?? 0) - LEFT;
    const part = Math.max(0, Math.min(1, at / (width - LEFT - RIGHT)));
    turnTo(Math.round(span.first + part * (span.last - span.first)));
  };
  const zoom = (by: number): void => {
    const around = round ?? Math.round((span.first + span.last) / 2);
    const next = zoomed(span, by, around, whole);
    choose(next.first === whole.first && next.last === whole.last ? null : next);
  };
  const press = (event: KeyboardEvent): void => {
    const from = round ?? span.first - 1;
    const page = Math.max(2, Math.round((span.last - span.first) / 10));
    const keys: Readonly<Record<string, () => void>> = {
      ArrowRight: () => point(from + 1),
      ArrowLeft: () => point(round === null ? span.last : from - 1),
      PageUp: () => point(from + page),
      PageDown: () => point(from - page),
      Home: () => point(whole.first),
      End: () => point(whole.last),
      "+": () => zoom(0.5),
      "-": () => zoom(2),
    };
    const key = keys[event.key];
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    key();
  };

  return (
    <div class="series" ref={box}>
      <svg
        role="slider"
        tabindex={0}
        aria-label={label}
        aria-valuemin={whole.first}
        aria-valuemax={whole.last}
        aria-valuenow={round ?? whole.first}
        aria-valuetext={pointed ? read(pointed) : words.pointHint}
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        onPointerDown={({ clientX }) => find(clientX)}
        onPointerMove={({ clientX }) => find(clientX)}
        onPointerLeave={() => turnTo(null)}
        onBlur={() => turnTo(null)}
        onKeyDown={press}
      >
        <Drawing
          points={points}
          span={span}
          width={width}
          axis={axis}
          title={signed ? words.sharePoints : words.sharePercent}
        />
        {pointed && (
          <line
            class="pointer"
            x1={x(pointed.round)}
            x2={x(pointed.round)}
            y1={TOP}
            y2={HEIGHT - bottomOf(axis)}
          />
        )}
      </svg>
      <p class="readout" aria-hidden="true">
        {pointed ? read(pointed) : <small>{words.pointHint}</small>}
      </p>
      {points.length > MANY && (
        <p class="buttons zoom">
          <button type="button" onClick={() => zoom(0.5)}>
            {words.zoomIn}
          </button>
          <button type="button" disabled={chosen === null} onClick={() => zoom(2)}>
            {words.zoomOut}
          </button>
        </p>
      )}
    </div>
  );
}

interface DrawingProps {
  readonly points: readonly Point[];
  readonly span: Span;
  readonly width: number;
  readonly axis: Axis;
  readonly title: string;
}

/** All that doesn't change while somebody points at it: made again only when it has changed. */
function Drawing({ points, span: { first, last }, width, axis, title }: DrawingProps) {
  return useMemo(() => {
    const inner = width - LEFT - RIGHT;
    const bottom = HEIGHT - bottomOf(axis);
    const seen = points.filter(({ round }) => first <= round && round <= last);
    const drawn = thinned(seen, inner);
    const scale = scaleOf(reach(seen));
    const x = (round: number): number =>
      LEFT + ((round - first) / Math.max(1, last - first)) * inner;
    const y = (share: number): number =>
      TOP + ((scale.to - share) / (scale.to - scale.from)) * (bottom - TOP);
    return (
      <>
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
        {axis.ticks(first, last, width).map(({ at, text }) => (
          <text key={at} x={x(at)} y={bottom + 20}>
            {text}
          </text>
        ))}
        {axis.title && (
          <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6}>
            {axis.title}
          </text>
        )}
        <text class="first" x={0} y={12}>
          {title}
        </text>
        <path class="band" d={areas(drawn, x, y, "bandLow", "bandHigh")} />
        <path class="interval" d={areas(drawn, x, y, "low", "high")} />
        <path class="truth-line" d={lines(drawn, x, y, "truth")} />
        <path
          class={drawn.length > inner / 3 ? "share-line fine-line" : "share-line"}
          d={lines(drawn, x, y, "share")}
        />
        {drawn.map(
          ({ round, share }, i) =>
            share !== null &&
            isAlone(drawn, i) && (
              <circle key={round} class="share-dot" cx={x(round)} cy={y(share)} r="3" />
            ),
        )}
      </>
    );
  }, [points, first, last, width, axis, title]);
}

function bottomOf(axis: Axis): number {
  return axis.title ? BOTTOM : BOTTOM_ALONE;
}

function readout(
  words: Words,
  axis: Axis,
  point: Point,
  decimals: number,
  signed: boolean,
): string {
  const { round, share, low, high } = point;
  const name = axis.name(round);
  if (share === null || low === null || high === null) return `${name}: ${words.noEstimate}`;
  const text = (each: number): string => (signed ? signedPoints : percent)(each, decimals);
  const say = signed ? words.changeSummary : words.summary;
  return say(name, text(share), text(low), text(high));
}
