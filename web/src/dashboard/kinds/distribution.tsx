/** A number's distribution on the dashboard: a histogram with intervals, and quantiles. */

import type { BinRow, Distribution, MeanRow, QuantileRow } from "../../collector/api";
import { Bars, scaleOf, type Bar } from "../../page/bars";
import { decimalsFor, decimalsOf, percent, shownNumber } from "../../page/numbers";
import { Table } from "../../page/table";
import { useWords, type Words } from "../language";
import { levelText } from "../cells";
import { marginFigure, peopleFigure } from "./choice";
import type { Figure, Kind, ResultProps } from "./interface";
import { fixed, number } from "./number";

const DENSE = 24; // bins from which bars are drawn close together

export const distribution: Kind = {
  ...number,
  rows: "bins",
  figures: (words, estimate) => spreadFigures(words, estimate as Distribution),
  Result: Spread as Kind["Result"],
};

const plain = (value: number): string => shownNumber(`${value}`);

function nameOf(words: Words, { least, most }: BinRow): string {
  return least === most ? plain(least) : words.numberRange(plain(least), plain(most));
}

const decimalsOfQuantile = ({ low, high }: QuantileRow): number => decimalsFor((high - low) / 4);

function spreadFigures(words: Words, estimate: Distribution): readonly Figure[] {
  const { bins, quantiles, window, n, level } = estimate;
  const middle =
    quantiles.find(({ quantile }) => quantile === 0.5) ?? (quantiles[0] as QuantileRow);
  const decimals = decimalsOfQuantile(middle);
  const [value, low, high] = [middle.value, middle.low, middle.high].map((each) =>
    fixed(each, decimals),
  );
  return [
    {
      value: value as string,
      label: words.median,
      note: words.medianWhy(low as string, high as string, levelText(level)),
    },
    peopleFigure(words, window, n),
    marginFigure(words, bins, decimalsOf(bins.map(({ stderr }) => stderr)), level),
  ];
}

function Spread({ estimate, calendar, truth, children }: ResultProps<Distribution>) {
  const words = useWords();
  const { bins, quantiles, n } = estimate;
  const level = levelText(estimate.level);
  const decimals = decimalsOf(bins.map(({ stderr }) => stderr));
  const bars: Bar[] = bins.map((row) => ({
    label: nameOf(words, row),
    share: row.share,
    low: row.low,
    high: row.high,
    truth: truth?.[row.least === row.most ? `${row.least}` : `${row.least} to ${row.most}`],
  }));
  const [mean] = estimate.estimates as readonly [MeanRow];
  const meanDecimals = decimalsFor(mean.stderr);
  return (
    <>
      <div class="title">
        <h2>
          {words.distribution} <small>{calendar.of(estimate.window)}</small>
        </h2>
      </div>
      <div data-chart>
        <Bars
          bars={bars}
          label={words.distribution}
          scale={scaleOf(bins.flatMap(({ share, low, high }) => [share, low, high]))}
          dense={bins.length >= DENSE}
        />
      </div>
      <p class="fine" data-note>
        {words.distributionNote(n, level)} {calendar.zone}
      </p>
      <Table
        heads={[words.quantile, words.thatNumber, words.interval(level)]}
        rows={[
          ...quantiles.map((row) => {
            const text = (value: number): string => fixed(value, decimalsOfQuantile(row));
            return [
              words.quantileOf(plain(Number((100 * row.quantile).toPrecision(6)))),
              text(row.value),
              words.numberRange(text(row.low), text(row.high)),
            ];
          }),
          [
            words.mean,
            fixed(mean.mean, meanDecimals),
            words.numberRange(fixed(mean.low, meanDecimals), fixed(mean.high, meanDecimals)),
          ],
        ]}
      />
      <div class="switches-below">{children}</div>
      <details>
        <summary>{words.asTable}</summary>
        <Table
          heads={[words.binNumbers, words.share, words.interval(level)]}
          rows={bins.map((row) => [
            nameOf(words, row),
            words.percent(percent(row.share, decimals)),
            words.range(percent(row.low, decimals), percent(row.high, decimals)),
          ])}
        />
      </details>
    </>
  );
}
