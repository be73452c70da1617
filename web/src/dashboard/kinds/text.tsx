/** Free text on the dashboard: which of the candidates were found. */

import type { Texts } from "../../collector/api";
import { whole } from "../../language";
import { pValue, percent } from "../../page/numbers";
import { reasonText } from "../../page/reason";
import { textOdds } from "../../page/wording";
import { useWords } from "../language";
import { Table, levelText, shareOr } from "../table";
import { choice } from "./choice";
import type { Kind, ResultProps, TooFewProps } from "./interface";

export const text: Kind = {
  ...choice,
  odds: textOdds,
  takesCandidates: true,
  rows: "found",
  Result: Found,
  TooFew: WhenGroupsAreShown,
  waiting(words, problem) {
    if (problem.code === "computing") return words.decoding;
    if (problem.code === "no_candidates") return words.noCandidates;
    if (problem.code === "undecodable") return words.undecodable;
    return reasonText(words, problem);
  },
};

function WhenGroupsAreShown({ standing }: TooFewProps) {
  const words = useWords();
  return (
    <>
      <p class="progress">{words.reports(whole(words, standing.reports))}</p>
      <p>{words.progressGroups(whole(words, standing.privacy.minimum_reports))}</p>
    </>
  );
}

function Found({ estimate, truth }: ResultProps<Texts>) {
  const words = useWords();
  const { n, candidates, level: confidence, smallest_detectable: smallest, found, unexplained } = estimate;
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
          rows={found.map(({ candidate, share, low, high, p_value }) => [
            candidate,
            words.percent(percent(share)),
            words.range(percent(low), percent(high)),
            pValue(p_value),
            ...(truth ? [shareOr(words, truth[candidate] ?? null)] : []),
          ])}
          shares={found.map(({ share }) => share)}
        />
      )}
      <p class="fine">
        {words.foundWhy(
          whole(words, n),
          whole(words, candidates),
          words.percent(percent(smallest)),
        )}{" "}
        {words.unexplained(words.percent(percent(unexplained.share)))}
      </p>
    </>
  );
}
