/** Shares as horizontal bars, each with its interval and its value as text. */

import { useWords } from "../language";
import { percent } from "./numbers";
import { Stranger } from "./strangers";

export interface Bar {
  readonly label: string;
  readonly share: number;
  readonly low?: number;
  readonly high?: number;
  readonly truth?: number | undefined;
  /** The share and its interval in words, where they aren't plain per cents. */
  readonly text?: string;
  readonly ends?: string;
  /** Whether it is a point on the scale, where there is nothing that a bar could begin at. */
  readonly isPoint?: boolean;
  /** A word of caution about the interval, if any. */
  readonly doubt?: string | undefined;
}

/** A scale of shares that holds all of them and zero, and where its lines are. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
  /** What stands below a line; its per cent unless it says otherwise. */
  readonly text?: (tick: number) => string;
}

/** The scale of all shares that there can be. */
export const WHOLE: Scale = { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1] };

/** The scale of some shares: whole steps of 1, 2 or 5, at most seven lines, room below 0. */
export function scaleOf(shares: readonly number[]): Scale {
  const low = Math.min(0, ...shares);
  const high = Math.max(0.01, ...shares);
  const power = 10 ** Math.floor(Math.log10((high - low) / 5));
  const step = [1, 2, 5, 10].map((by) => by * power).find((by) => (high - low) / by <= 5.5);
  const each = step ?? 10 * power;
  const first = Math.floor(low / each + 1e-9);
  const last = Math.ceil(high / each - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * each);
  return { from: first * each, to: last * each, ticks };
}

/** A line's share in per cent, with as few digits as it needs. */
export function tickText(share: number): string {
  return `${Number((100 * share).toPrecision(3))}`.replace("-", "−");
}

interface BarsProps {
  readonly bars: readonly Bar[];
  /** Read aloud in place of the bars. */
  readonly label: string;
  readonly scale: Scale;
  /** Whether they stand closer together. */
  readonly dense?: boolean;
}

export function Bars({ bars, label, scale, dense = false }: BarsProps) {
  const words = useWords();
  const at = (share: number): string =>
    `${((100 * (share - scale.from)) / (scale.to - scale.from)).toFixed(3)}%`;
  return (
    <div class={dense ? "bars dense" : "bars"} role="group" aria-label={label}>
      {bars.map(({ label, share, low, high, truth, text, ends, isPoint, doubt }) => (
        <div class="bar" key={label}>
          <span class="bar-label">
            <Stranger text={label} />
          </span>
          <svg aria-hidden="true" height="32">
            {scale.ticks.map((tick) => (
              <line
                key={tick}
                class={Math.abs(tick) < 1e-9 ? "zero" : "line"}
                x1={at(tick)}
                x2={at(tick)}
                y1="0"
                y2="32"
              />
            ))}
            {isPoint ? (
              <circle class="point" cx={at(share)} cy="16" r="6" />
            ) : (
              <rect
                class={share < 0 ? "fill below" : "fill"}
                x={at(Math.min(0, share))}
                y="8"
                width={at(scale.from + Math.abs(share))}
                height="16"
                rx="2"
              />
            )}
            {low !== undefined && high !== undefined && (
              <g class={doubt ? "whisker doubtful" : "whisker"}>
                <line x1={at(low)} x2={at(high)} y1="16" y2="16" />
                <line x1={at(low)} x2={at(low)} y1="11" y2="21" />
                <line x1={at(high)} x2={at(high)} y1="11" y2="21" />
              </g>
            )}
            {truth !== undefined && <circle class="truth" cx={at(truth)} cy="16" r="5" />}
          </svg>
          <span class="bar-value">
            <b>{text ?? words.percent(percent(share))}</b>
            {low !== undefined && high !== undefined && (
              <small>
                {doubt && <em>{doubt}</em>} {ends ?? words.range(percent(low), percent(high))}
              </small>
            )}
          </span>
        </div>
      ))}
      <div class="bar axis" aria-hidden="true">
        <span class="bar-label" />
        <svg height="18">
          {scale.ticks.map((tick) => (
            <text key={tick} x={at(tick)} y="13">
              {(scale.text ?? tickText)(tick)}
            </text>
          ))}
        </svg>
        <span class="bar-value" />
      </div>
    </div>
  );
}
