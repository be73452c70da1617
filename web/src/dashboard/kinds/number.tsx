/** A number on the dashboard: the mean, with its interval, on the axis of the range. */

import type { MeanRow, Means } from "../../collector/api";
import { Bars, type Scale } from "../../page/bars";
import { decimalsFor, shownNumber } from "../../page/numbers";
import { windowOdds } from "../../page/wording";
import { Table } from "../../page/table";
import { useWords, type Words } from "../language";
import { levelText } from "../cells";
import { choice, peopleFigure } from "./choice";
import type { Figure, Kind, ResultProps } from "./interface";

export const number: Kind = {
  ...choice,
  odds: windowOdds,
  rows: "estimates",
  figures: (words, estimate) => meanFigures(words, estimate as Means),
  Result: Mean as Kind["Result"],
  Change: null,
  History: null,
};

/** A number with so many decimals; what rounds to zero has no sign. */
export function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return shownNumber(Number(text) === 0 ? text.replace("-", "") : text);
}

function meanFigures(words: Words, estimate: Means): readonly Figure[] {
  const row = estimate.estimates[0] as MeanRow;
  const decimals = decimalsFor(row.stderr);
  const margin = Math.ceil(((row.high - row.low) / 2) * 10 ** decimals) / 10 ** decimals;
  return [
    { value: fixed(row.mean, decimals), label: words.mean, note: words.meanWhy },
    peopleFigure(words, estimate.window, estimate.n),
    {
      value: words.margin(fixed(margin, decimals)),
      label: words.meanMargin,
      note: words.marginAt(levelText(estimate.level)),
    },
  ];
}

/** The scale of a range that also holds an interval: whole steps of 1, 2 or 5. */
export function scaleOfRange({ range, estimates }: Means): Scale {
  const ends = [range.least, range.most, ...estimates.flatMap(({ low, high }) => [low, high])];
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  const power = 10 ** Math.floor(Math.log10((to - from) / 5));
  const each = power * ([1, 2, 5].find((by) => (to - from) / (by * power) <= 6.5) ?? 10);
  const first = Math.ceil(from / each - 1e-9);
  const last = Math.floor(to / each + 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * each);
  const text = (tick: number): string => shownNumber(`${Number(tick.toPrecision(6))}`);
  return { from, to, ticks, text };
}

function Mean({ estimate, calendar, truth, children }: ResultProps<Means>) {
  const words = useWords();
  const { mean, stderr, low, high } = estimate.estimates[0] as MeanRow;
  const decimals = decimalsFor(stderr);
  const text = (value: number): string => fixed(value, decimals);
  const level = levelText(estimate.level);
  const known = truth?.["mean"];
  const ends = words.numberRange(text(low), text(high));
  const { least, most } = estimate.range;
  return (
    <>
      <div class="title">
        <h2>
          {words.mean} <small>{calendar.of(estimate.window)}</small>
        </h2>
      </div>
      <div data-chart>
        <Bars
          bars={[
            {
              label: words.mean,
              share: mean,
              low,
              high,
              truth: known,
              text: text(mean),
              ends,
              isPoint: true,
            },
          ]}
          label={words.mean}
          scale={scaleOfRange(estimate)}
        />
      </div>
      <p class="fine" data-note>
        {words.meanNote(estimate.n, level, shownNumber(`${least}`), shownNumber(`${most}`))}{" "}
        {calendar.zone}
      </p>
      <div class="switches-below">{children}</div>
      <details>
        <summary>{words.asTable}</summary>
        <Table
          heads={[
            "",
            words.mean,
            words.interval(level),
            ...(known === undefined ? [] : [words.truth]),
          ]}
          rows={[[words.mean, text(mean), ends, ...(known === undefined ? [] : [text(known)])]]}
        />
      </details>
    </>
  );
}
