/** An estimate, drawn: shares as bars, a share over time, or texts that were found. */

import { useMemo, useState } from "preact/hooks";

import type { Answers, Estimate, Rounds, Texts, Truth } from "../collector/api";
import { whole } from "../language";
import { Bars } from "../page/bars";
import { pValue, percent } from "../page/numbers";
import { useWords, type Words } from "./language";
import type { Point } from "./course";
import { MANY, Series } from "./series";

interface ResultProps<Shown extends Estimate> {
  readonly estimate: Shown;
  readonly truth: Truth | null;
}

export function Result({ estimate, truth }: ResultProps<Estimate>) {
  if ("answers" in estimate) return <Shares estimate={estimate} truth={truth} />;
  if ("found" in estimate) return <Found estimate={estimate} truth={truth} />;
  return <OverTime estimate={estimate} truth={truth} />;
}

function Shares({ estimate, truth }: ResultProps<Answers>) {
  const words = useWords();
  const level = levelText(estimate.level);
  const bars = estimate.answers.map(({ answer, share, low, high }) => ({
    label: answer,
    share,
    low,
    high,
    truth: truth?.[answer],
  }));
  return (
    <>
      <h2>{words.shares}</h2>
      <Bars bars={bars} label={words.shares} />
      <p class="fine">{words.sharesWhy(whole(words, estimate.n), level)}</p>
      <details>
        <summary>{words.asTable}</summary>
        <Table
          heads={[
            words.answer,
            words.share,
            words.interval(level),
            ...(truth ? [words.truth] : []),
          ]}
          rows={bars.map(({ label, share, low, high, truth: known }) => [
            label,
            words.percent(percent(share)),
            words.range(percent(low), percent(high)),
            ...(truth ? [shareOr(words, known ?? null)] : []),
          ])}
        />
      </details>
    </>
  );
}

const MOST_ROWS = 1000; // of the table; the drawing and the downloads hold all

function OverTime({ estimate, truth }: ResultProps<Rounds>) {
  const words = useWords();
  const level = levelText(estimate.level);
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
      <h2>{words.overTime(estimate.state)}</h2>
      <Series points={points} label={words.overTime(estimate.state)} />
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
                whole(words, rows[i]?.reports ?? 0),
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

function Found({ estimate, truth }: ResultProps<Texts>) {
  const words = useWords();
  const { n, candidates, confidence, smallest_detectable: smallest, found, unexplained } = estimate;
  const level = levelText(confidence);
  return (
    <>
      <h2>{words.found}</h2>
      {found.length === 0 ? (
        <p>{words.nothingFound}</p>
      ) : (
        <Table
          heads={[
            words.text,
            words.share,
            words.interval(level),
            words.pValue,
            ...(truth ? [words.truth] : []),
          ]}
          rows={found.map(({ candidate, estimate: share, low, high, adjusted }) => [
            candidate,
            words.percent(percent(share)),
            words.range(percent(low), percent(high)),
            pValue(adjusted),
            ...(truth ? [shareOr(words, truth[candidate] ?? null)] : []),
          ])}
          shares={found.map(({ estimate: share }) => share)}
        />
      )}
      <p class="fine">
        {words.foundWhy(
          whole(words, n),
          whole(words, candidates),
          words.percent(percent(smallest)),
        )}{" "}
        {words.unexplained(words.percent(percent(unexplained.estimate)))}
      </p>
    </>
  );
}

interface TableProps {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Drawn behind each row, if given. */
  readonly shares?: readonly number[];
}

function Table({ heads, rows, shares }: TableProps) {
  const most = Math.max(...(shares ?? [1]));
  return (
    <div class="table" tabIndex={0} role="region" aria-label={heads[0]}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], row) => (
            <tr key={name}>
              <th scope="row">
                {name}
                {shares && (
                  <svg class="under" aria-hidden="true" height="4">
                    <rect
                      width={`${(100 * Math.max(0, shares[row] as number)) / most}%`}
                      height="4"
                    />
                  </svg>
                )}
              </th>
              {cells.map((cell, i) => (
                <td key={i}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shareOr(words: Words, share: number | null): string {
  return share === null ? words.noEstimate : words.percent(percent(share));
}

function levelText(level: number): string {
  return `${Number((100 * level).toFixed(2))}`;
}
