/** Several answers on the dashboard: the share of people who select each, and how many they select. */

import type { Estimate, Selections } from "../../collector/api";
import { decimalsFor } from "../../page/numbers";
import { setOdds } from "../../page/wording";
import { useWords, type Words } from "../language";
import { levelText } from "../cells";
import { Shares, choice } from "./choice";
import type { Figure, Kind, ResultProps } from "./interface";

export const selection: Kind = {
  ...choice,
  odds: setOdds,
  figures: (words, estimate, calendar) => [
    ...choice.figures(words, estimate, calendar),
    meanFigure(words, estimate as Selections),
  ],
  Result: SelectedShares,
};

function meanFigure(words: Words, { selected, level }: Selections): Figure {
  const { mean, stderr, low, high, rough } = selected;
  const text = (value: number): string => value.toFixed(decimalsFor(stderr)).replace("-", "−");
  return {
    value: text(mean),
    label: words.meanSelected,
    note: words.meanInterval(text(low), text(high), levelText(level), rough),
  };
}

function SelectedShares(props: ResultProps<Estimate>) {
  const words = useWords();
  return (
    <Shares
      {...props}
      estimate={props.estimate as Selections}
      note={words.severalWhy((props.estimate as Selections).most)}
    />
  );
}
