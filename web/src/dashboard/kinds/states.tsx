/** A state over time on the dashboard: its share in each round. */

import { useMemo, useState } from "preact/hooks";

import type { Rounds } from "../../collector/api";
import type { Continual } from "../../device";
import { whole } from "../../language";
import { percent } from "../../page/numbers";
import { reasonText } from "../../page/reason";
import { isolated } from "../../page/strangers";
import { historyPromise, statesOdds, type CollectionBy } from "../../page/wording";
import type { Point } from "../course";
import { useWords } from "../language";
import { MANY, Series } from "../series";
import { Table, levelText, shareOr } from "../table";
import type { Kind, ResultProps, TooFewProps } from "./interface";

export const states: Kind = {
  promise: historyPromise,
  odds: statesOdds,
  rows: "estimates",
  Result: OverTime,
  TooFew: WhenRoundsAreShown,
  waiting: reasonText,
  summed: (window) => (window === "all" ? "latest" : window), // windows of rounds have no sum together
  plan({ reports, epsilon, rounds }) {
    const people = Math.max(1000, reports);
    return `sudare plan stream --rounds ${rounds} --epsilon ${Number(epsilon.toFixed(3))} --people ${people}`;
  },
  windows(words, { seconds }, { mechanism: { rounds } }: CollectionBy<Continual>) {
    return words.windowsRounds(words.seconds(seconds), rounds, words.seconds(seconds / rounds));
  },
};

const MOST_ROWS = 1000; // of the table; the drawing and the downloads hold all

function OverTime({ estimate, truth }: ResultProps<Rounds>) {
  const words = useWords();
  const level = levelText(estimate.level);
  const heading = words.overTime(isolated(estimate.state));
  const first = estimate.window === "all" ? 0 : estimate.window * estimate.rounds;
  const [isOpen, setOpen] = useState(false);
  const rows = estimate.estimates.slice(-MOST_ROWS);
  const points = useMemo(
    (): Point[] =>
      estimate.estimates.map((row) => ({
        round: row.round,
        share: row.estimate,
        low: row.low,
        high: row.high,
        bandLow: row.band_low,
        bandHigh: row.band_high,
        truth: truth?.[`${first + row.round}`] ?? null,
      })),
    [estimate, truth],
  );
  return (
    <>
      <h2>{heading}</h2>
      <Series points={points} label={heading} />
      <p class="fine">
        {words.overTimeWhy(level)} {points.length > MANY && words.manyRounds}
      </p>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{words.asTable}</summary>
        {rows.length < points.length && <p>{words.lastRounds(rows.length, points.length)}</p>}
        {isOpen && (
          <Table
            heads={[
              words.roundTitle,
              words.reportsTitle,
              words.share,
              words.interval(level),
              ...(truth ? [words.truth] : []),
            ]}
            rows={points
              .slice(-MOST_ROWS)
              .map(({ round, share, low, high, truth: known }, i) => [
                `${round}`,
                rows[i]?.withheld
                  ? words.fewerThan(whole(words, estimate.minimum_reports))
                  : whole(words, rows[i]?.reports ?? 0),
                shareOr(words, share),
                low === null || high === null
                  ? words.noEstimate
                  : words.range(percent(low), percent(high)),
                ...(truth ? [shareOr(words, known)] : []),
              ])}
          />
        )}
      </details>
    </>
  );
}

function WhenRoundsAreShown({ standing }: TooFewProps) {
  const words = useWords();
  return <p>{words.progressRounds(whole(words, standing.privacy.minimum_reports))}</p>;
}
