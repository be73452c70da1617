/** A state over time on the dashboard: its share in each round. */

import { useMemo, useState } from "preact/hooks";

import type { RoundRow, Rounds, Standing } from "../../collector/api";
import type { Continual } from "../../device";
import { whole } from "../../language";
import { decimalsOf, percent, upTo } from "../../page/numbers";
import { reasonText } from "../../page/reason";
import { isolated } from "../../page/strangers";
import { historyPromise, statesOdds, type CollectionBy } from "../../page/wording";
import { Table } from "../../page/table";
import { difference, type Bounded } from "../comparison";
import type { Point } from "../course";
import { useWords, type Words } from "../language";
import { MANY, Series } from "../series";
import { levelText, shareOr } from "../cells";
import type { Calendar } from "../times";
import { marginFigure, peopleFigure } from "./choice";
import type { ChangeProps, Figure, Kind, ResultProps, TooFewProps } from "./interface";

export const states: Kind = {
  promise: historyPromise,
  odds: statesOdds,
  rows: "estimates",
  figures: (words, estimate, calendar) => roundFigures(words, estimate as Rounds, calendar),
  isDrawn: true,
  Result: OverTime,
  Change: Changes as Kind["Change"],
  History: null, // all windows together are drawn one after the other
  TooFew: WhenRoundsAreShown,
  waiting: reasonText,
  summed: (window) => (window === "all" ? "latest" : window), // windows of rounds have no sum together
  plan(standing, estimate) {
    const each = (estimate as Rounds | null)?.reports_each ?? 1;
    const people = Math.round(
      Math.max(0, ...standing.windows.map(({ reports }) => reports)) / each,
    );
    if (people === 0) return null;
    const epsilon = upTo(standing.epsilon);
    return `sudare plan stream --rounds ${standing.rounds} --epsilon ${epsilon} --people ${people}`;
  },
  windows(words, { seconds }, { mechanism: { rounds } }: CollectionBy<Continual>) {
    return words.windowsRounds(words.seconds(seconds), rounds, words.seconds(seconds / rounds));
  },
};

const MOST_ROWS = 1000; // of the table; the drawing and the downloads hold all

/** How many rounds came before the first of an estimate, where they are counted anew. */
function roundsBefore({ window, rounds }: Rounds): number {
  return window === "all" ? 0 : window * rounds;
}

/** The rounds that are over by the collector's clock; those to come have nothing to tell. */
export function past(estimate: Rounds, { window, round }: Standing): readonly RoundRow[] {
  if (round === null) return estimate.estimates;
  const now = window * estimate.rounds + round - roundsBefore(estimate);
  return estimate.estimates.filter((row) => row.round < now || row.share !== null);
}

type Known = RoundRow & { share: number; low: number; high: number };

function known(rows: readonly RoundRow[]): readonly Known[] {
  return rows.filter((row): row is Known => row.low !== null && row.high !== null);
}

/** The decimals of shares whose intervals are known, as the command line has them. */
function decimalsOfRounds(rows: readonly RoundRow[]): number {
  return decimalsOf(known(rows).map(({ low, high }) => (high - low) / 4));
}

function roundFigures(words: Words, estimate: Rounds, calendar: Calendar): readonly Figure[] {
  const { estimates, window, n, reports_each: each, level } = estimate;
  const rows = known(estimates);
  const decimals = decimalsOfRounds(rows);
  const last = rows.at(-1);
  const people = peopleFigure(words, window, n);
  const note = words.reportsOfRounds(each);
  return [
    ...(last
      ? [
          {
            value: words.percent(percent(last.share, decimals)),
            label: estimate.state,
            note: calendar.roundAxis(roundsBefore(estimate)).name(last.round),
          },
        ]
      : []),
    each === 1 || window === "all" ? people : { ...people, label: words.reportsOf(n), note },
    marginFigure(words, rows, decimals, level),
  ];
}

function OverTime({ estimate, standing, calendar, truth, children }: ResultProps<Rounds>) {
  const words = useWords();
  const level = levelText(estimate.level);
  const heading = words.overTime(isolated(estimate.state));
  const before = roundsBefore(estimate);
  const [isOpen, setOpen] = useState(false);
  const rows = past(estimate, standing);
  const decimals = decimalsOfRounds(rows);
  const axis = useMemo(() => calendar.roundAxis(before), [calendar, before]);
  const points = useMemo(
    (): Point[] =>
      rows.map((row) => ({
        round: row.round,
        share: row.share,
        low: row.low,
        high: row.high,
        bandLow: row.band_low,
        bandHigh: row.band_high,
        truth: truth?.[`${before + row.round}`] ?? null,
      })),
    [estimate, truth, rows.length],
  );
  const listed = rows.slice(-MOST_ROWS);
  return (
    <>
      <div class="title">
        <h2>
          {heading} <small>{calendar.of(estimate.window)}</small>
        </h2>
      </div>
      <div data-chart>
        <Series points={points} label={heading} axis={axis} decimals={decimals} />
      </div>
      <p class="fine" data-note>
        {words.overTimeWhy(level)} {points.length > MANY && words.manyRounds} {calendar.zone}
      </p>
      <div class="switches-below">{children}</div>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{words.asTable}</summary>
        {listed.length < points.length && (
          <p>{words.lastRounds(whole(words, listed.length), points.length)}</p>
        )}
        {isOpen && (
          <Table
            heads={[
              words.roundTitle,
              words.reportsTitle,
              words.share,
              words.interval(level),
              ...(truth ? [words.truth] : []),
            ]}
            rows={listed.map((row) => [
              axis.name(row.round),
              row.withheld
                ? words.fewerThan(whole(words, estimate.minimum_reports))
                : whole(words, row.reports ?? 0),
              shareOr(words, row.share, decimals),
              row.low === null || row.high === null
                ? words.noEstimate
                : words.range(percent(row.low, decimals), percent(row.high, decimals)),
              ...(truth ? [shareOr(words, truth[`${before + row.round}`] ?? null, decimals)] : []),
            ])}
          />
        )}
      </details>
    </>
  );
}

/** By how much the share has changed, in each round, from that of another window. */
function Changes({ now, then, calendar }: ChangeProps<Rounds>) {
  const words = useWords();
  const bounded = ({ share, low, high }: Known): Bounded => ({ share, low, high });
  const points = useMemo(() => {
    const old = new Map(known(then.estimates).map((row) => [row.round, row]));
    return known(now.estimates).map((row): Point => {
      const other = old.get(row.round);
      const { share, low, high } = other
        ? difference(bounded(row), bounded(other))
        : { share: null, low: null, high: null };
      return { round: row.round, share, low, high, bandLow: low, bandHigh: high, truth: null };
    });
  }, [now, then]);
  const title = words.change(then.window === "all" ? words.all : calendar.window(then.window));
  const axis = useMemo(() => calendar.roundAxis(roundsBefore(now)), [calendar, now.window]);
  const decimals = decimalsOfRounds(now.estimates);
  return (
    <>
      <h2>{title}</h2>
      <Series points={points} label={title} axis={axis} decimals={decimals} signed />
      <p class="fine">{words.changeRoundsWhy(levelText(now.level))}</p>
    </>
  );
}

function WhenRoundsAreShown({ standing }: TooFewProps) {
  const words = useWords();
  return <p>{words.progressRounds(whole(words, standing.privacy.minimum_reports))}</p>;
}
