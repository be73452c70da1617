/** Free text on the dashboard: which of the candidates were found. */

import { useState } from "preact/hooks";

import type { Texts } from "../../collector/api";
import { whole } from "../../language";
import { decimalsFor, decimalsOf, pValue, percent } from "../../page/numbers";
import { reasonText } from "../../page/reason";
import { textOdds } from "../../page/wording";
import { Table } from "../../page/table";
import { useWords, type Words } from "../language";
import { arranged, firstLook, folded, isLong } from "../listing";
import { levelText, shareOr } from "../cells";
import { Fold, Tools } from "../tools";
import { choice, marginFigure, peopleFigure } from "./choice";
import type { Figure, Kind, ResultProps, TooFewProps } from "./interface";

export const text: Kind = {
  ...choice,
  odds: textOdds,
  takesCandidates: true,
  rows: "found",
  figures: (words, estimate) => textFigures(words, estimate as Texts),
  isDrawn: false,
  Result: Found,
  Change: null, // a text may be found in one window and not in another, which is no change yet
  History: null, // each window takes minutes to decode
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
      <p class="progress">{words.reports(standing.reports)}</p>
      <p>{words.progressGroups(whole(words, standing.privacy.minimum_reports))}</p>
    </>
  );
}

function textFigures(words: Words, estimate: Texts): readonly Figure[] {
  const { found, window, n, level, smallest_detectable: smallest } = estimate;
  const people = peopleFigure(words, window, n);
  const [most] = found;
  if (!most) {
    const value = words.percent(percent(smallest, decimalsFor(100 * smallest)));
    return [people, { value, label: words.smallest, note: "" }];
  }
  const decimals = decimalsOf(found.map(({ stderr }) => stderr));
  return [
    {
      value: words.percent(percent(most.share, decimals)),
      label: most.candidate,
      note: words.largest,
    },
    people,
    marginFigure(words, found, decimals, level),
  ];
}

function Found({ estimate, calendar, truth, children }: ResultProps<Texts>) {
  const words = useWords();
  const level = levelText(estimate.level);
  const decimals = decimalsOf(estimate.found.map(({ stderr }) => stderr));
  const rows = estimate.found.map((row) => ({ ...row, label: row.candidate }));
  const [lens, look] = useState(() => firstLook(rows.length));
  const found = arranged(rows, lens, words.locale);
  const shown = folded(found, lens);
  return (
    <>
      <div class="title">
        <h2>
          {words.found} <small>{calendar.of(estimate.window)}</small>
        </h2>
        {isLong(rows.length) && <Tools count={rows.length} lens={lens} change={look} />}
      </div>
      {rows.length === 0 ? (
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
          rows={shown.map(({ label, share, low, high, p_value }) => [
            label,
            words.percent(percent(share, decimals)),
            words.range(percent(low, decimals), percent(high, decimals)),
            pValue(p_value),
            ...(truth ? [shareOr(words, truth[label] ?? null, decimals)] : []),
          ])}
          shares={shown.map(({ share }) => share)}
        />
      )}
      <Fold count={rows.length} found={found.length} lens={lens} change={look} />
      <p class="fine">{textNotes(words, estimate).join(" ")}</p>
      <div class="switches-below">{children}</div>
    </>
  );
}

/**
 * Times the noise of randomising: more can't be explained by rare texts alone. It is `HIDDEN` of
 * `results/text.py`, and a test holds it so.
 */
const HIDDEN = 1.25;

/** What the command line says below the texts found, in the words of the page. */
export function textNotes(words: Words, estimate: Texts): readonly string[] {
  const { n, candidates, found, correction, unexplained } = estimate;
  const { smallest_detectable: smallest, excess_noise: excess } = estimate;
  const said = [words.foundOf(whole(words, found.length), candidates)];
  if (found.length > 0) {
    const decimals = decimalsFor(100 * unexplained.stderr);
    const rest = Math.min(1, Math.max(0, unexplained.share));
    const [explained, other, error] = [1 - rest, rest, unexplained.stderr].map((share) =>
      words.percent(percent(share, decimals)),
    );
    said.push(words.foundMeaning(explained as string, other as string, error as string));
    said.push(
      words.foundByChance[correction](words.percent(levelText(estimate.false_discoveries))),
    );
  }
  said.push(words.foundSmallest(words.percent(percent(smallest, decimalsFor(100 * smallest)))));
  if (excess !== null && excess > HIDDEN) said.push(words.foundHidden(excess.toFixed(1)));
  return [...said, words.from(n)];
}
