/** A choice on the dashboard: the share of each answer. */

import type { Answers } from "../../collector/api";
import { whole } from "../../language";
import { Bars, scaleOf } from "../../page/bars";
import { percent } from "../../page/numbers";
import { reasonText } from "../../page/reason";
import { answerPromise, choiceOdds } from "../../page/wording";
import { useWords } from "../language";
import { Table, levelText, shareOr } from "../table";
import type { Kind, ResultProps, TooFewProps } from "./interface";

export const choice: Kind = {
  promise: answerPromise,
  odds: choiceOdds,
  rows: "answers",
  Result: Shares,
  TooFew: Progress,
  waiting: reasonText,
  summed: (window) => window,
  plan: () => null, // the command line plans streams only
  windows: (words, { seconds }) => words.windowsLabel(words.seconds(seconds)),
};

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
  const ends = bars.flatMap(({ share, low, high, truth }) => [share, low, high, truth ?? share]);
  return (
    <>
      <h2>{words.shares}</h2>
      <Bars bars={bars} label={words.shares} scale={scaleOf(ends)} />
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

/** How many reports there are, of those that are needed. */
function Progress({ standing, window }: TooFewProps) {
  const words = useWords();
  const minimum = standing.privacy.minimum_reports;
  const chosen = standing.windows.filter(
    (each) => !/\d/.test(window) || `${each.window}` === window,
  );
  const most = Math.max(0, ...chosen.map(({ reports }) => reports));
  return (
    <>
      <p class="progress">{words.progress(whole(words, most), whole(words, minimum))}</p>
      <progress value={Math.min(most, minimum)} max={minimum} aria-label={words.nothingYet} />
      <p>{words.progressWhy}</p>
    </>
  );
}
