/** A choice on the dashboard: the share of each answer. */

import { useMemo, useState } from "preact/hooks";

import type { AnswerRow, Answers } from "../../collector/api";
import { whole } from "../../language";
import { Bars, scaleOf, type Bar } from "../../page/bars";
import { decimalsFor, decimalsOf, marginOf, percent, points } from "../../page/numbers";
import { reasonText } from "../../page/reason";
import { visible } from "../../page/strangers";
import { answerPromise, choiceOdds } from "../../page/wording";
import { Table } from "../../page/table";
import { difference } from "../comparison";
import type { Point } from "../course";
import { useWords, type Words } from "../language";
import { arranged, firstLook, folded, isLong, type Lens } from "../listing";
import { Series } from "../series";
import { levelText, shareOr } from "../cells";
import { Fold, Tools } from "../tools";
import type {
  ChangeProps,
  Figure,
  HistoryProps,
  Kind,
  ResultProps,
  TooFewProps,
} from "./interface";

export const choice: Kind = {
  promise: answerPromise,
  odds: choiceOdds,
  rows: "answers",
  figures: (words, estimate) => choiceFigures(words, estimate as Answers),
  isDrawn: true,
  Result: Shares,
  Change: Changes as Kind["Change"],
  History: Course as Kind["History"],
  TooFew: Progress,
  waiting: reasonText,
  summed: (window) => window,
  plan: () => null, // the command line plans streams only
  windows: (words, { seconds }) => words.windowsLabel(words.seconds(seconds)),
};

const errors = (rows: readonly AnswerRow[]): readonly number[] => rows.map(({ stderr }) => stderr);

function choiceFigures(words: Words, { answers, window, n, level }: Answers): readonly Figure[] {
  const decimals = decimalsOf(errors(answers));
  const most = answers.reduce((a, b) => (b.share > a.share ? b : a));
  return [
    {
      value: words.percent(percent(most.share, decimals)),
      label: most.answer,
      note: words.largest,
    },
    peopleFigure(words, window, n),
    marginFigure(words, answers, decimals, level),
  ];
}

/** How many people; of several windows together, how many reports. */
export function peopleFigure(words: Words, window: number | "all", n: number): Figure {
  return window === "all"
    ? { value: whole(words, n), label: words.reportsOf(n), note: words.reportsOfAll }
    : { value: whole(words, n), label: words.people(n), note: words.peopleWhy };
}

export function marginFigure(
  words: Words,
  rows: readonly { readonly low: number; readonly high: number }[],
  decimals: number,
  level: number,
): Figure {
  return {
    value: words.margin(marginOf(rows, decimals)),
    label: words.marginOf,
    note: words.marginAt(levelText(level)),
  };
}

interface SharesProps extends ResultProps<Answers> {
  /** What else is to know of the chart, if anything. */
  readonly note?: string;
}

/** The share of each answer. */
export function Shares({ estimate, calendar, truth, note, children }: SharesProps) {
  const words = useWords();
  const { answers, n } = estimate;
  const level = levelText(estimate.level);
  const [lens, look] = useState(() => firstLook(answers.length));
  const decimals = decimalsOf(errors(answers));
  const bars = answers.map(({ answer, share, low, high, rough }) => ({
    label: answer,
    share,
    low,
    high,
    truth: truth?.[answer],
    text: words.percent(percent(share, decimals)),
    ends: words.range(percent(low, decimals), percent(high, decimals)),
    doubt: rough ? words.rough : undefined,
  }));
  const found = arranged(bars, lens, words.locale);
  const tools = <Tools count={bars.length} lens={lens} change={look} />;
  const hasTruth = truth !== null;
  return (
    <>
      <div class="title">
        <h2>
          {words.shares} <small>{calendar.of(estimate.window)}</small>
        </h2>
        {isLong(bars.length) && tools}
      </div>
      <div data-chart>
        <Bars
          bars={folded(found, lens)}
          label={words.shares}
          scale={scaleOf(endsOf(bars))}
          dense={isLong(bars.length)}
        />
      </div>
      <Fold count={bars.length} found={found.length} lens={lens} change={look} />
      <p class="fine" data-note>
        {words.sharesWhy(n, level)} {note} {calendar.zone}
      </p>
      <Rough answers={answers} />
      <div class="switches-below">
        {children}
        {!isLong(bars.length) && bars.length > 2 && tools}
      </div>
      <details>
        <summary>{words.asTable}</summary>
        <Table
          heads={[
            words.answer,
            words.share,
            words.interval(level),
            ...(hasTruth ? [words.truth] : []),
          ]}
          rows={folded(found, lens).map(({ label, text, ends, doubt, truth: known }) => [
            label,
            text,
            doubt ? `${ends} (${doubt})` : ends,
            ...(hasTruth ? [shareOr(words, known ?? null, decimals)] : []),
          ])}
        />
      </details>
    </>
  );
}

/** That some intervals don't keep their level, as the command line says it. */
function Rough({ answers }: { readonly answers: readonly AnswerRow[] }) {
  const words = useWords();
  const rough = answers.filter((row) => row.rough).length;
  return rough > 0 ? (
    <p class="notice" data-note>
      {words.roughWhy(rough, answers.length)}
    </p>
  ) : null;
}

function endsOf(bars: readonly Bar[]): number[] {
  return bars.flatMap(({ share, low, high, truth }) => [
    share,
    low ?? share,
    high ?? share,
    truth ?? share,
  ]);
}

/** By how much each share has changed from one window to another. */
function Changes({ now, then, calendar }: ChangeProps<Answers>) {
  const words = useWords();
  const before = new Map(then.answers.map((row) => [row.answer, row]));
  const [lens, look] = useState((): Lens => firstLook(now.answers.length));
  const error = (row: AnswerRow, old: AnswerRow): number => Math.hypot(row.stderr, old.stderr);
  const pairs = now.answers.flatMap((row) => {
    const old = before.get(row.answer);
    return old ? [{ row, old }] : [];
  });
  const decimals = decimalsOf(pairs.map(({ row, old }) => error(row, old)));
  const bars = pairs.map(({ row, old }) => {
    const { share, low, high } = difference(row, old);
    return {
      label: row.answer,
      share,
      low,
      high,
      text: points(share, decimals),
      ends: words.changeRange(points(low, decimals), points(high, decimals)),
      doubt: row.rough || old.rough ? words.rough : undefined,
    };
  });
  const found = arranged(bars, lens, words.locale);
  const title = words.change(then.window === "all" ? words.all : calendar.window(then.window));
  return (
    <>
      <div class="title">
        <h2>{title}</h2>
        {isLong(bars.length) && <Tools count={bars.length} lens={lens} change={look} />}
      </div>
      <Bars
        bars={folded(found, lens)}
        label={title}
        scale={scaleOf(endsOf(bars))}
        dense={isLong(bars.length)}
      />
      <Fold count={bars.length} found={found.length} lens={lens} change={look} />
      <p class="fine">{words.changeWhy(levelText(now.level))}</p>
    </>
  );
}

/** The share of one answer, window after window. */
function Course({ windows, band, calendar }: HistoryProps<Answers>) {
  const words = useWords();
  const last = windows.at(-1) as Answers;
  const most = last.answers.reduce((a, b) => (b.share > a.share ? b : a));
  const [chosen, choose] = useState(most.answer);
  const rowOf = (estimate: Answers | undefined): AnswerRow | undefined =>
    estimate?.answers.find(({ answer }) => answer === chosen);
  const drawn = useMemo(() => {
    const byWindow = new Map(windows.map((each, i) => [each.window as number, i]));
    const [from, to] = [windows[0]?.window as number, last.window as number];
    return Array.from({ length: to - from + 1 }, (_, i): Point => {
      const at = byWindow.get(from + i) ?? -1;
      const [row, wide] = [rowOf(windows[at]), rowOf(band[at])];
      return {
        round: from + i,
        share: row?.share ?? null,
        low: row?.low ?? null,
        high: row?.high ?? null,
        bandLow: wide?.low ?? row?.low ?? null,
        bandHigh: wide?.high ?? row?.high ?? null,
        truth: null,
      };
    });
  }, [windows, band, chosen]);
  const rough = windows.filter((each) => rowOf(each)?.rough).length;
  const decimals = decimalsFor(100 * (rowOf(last)?.stderr ?? 0));
  return (
    <>
      <div class="title">
        <h2>
          {words.history} <small>{visible(chosen)}</small>
        </h2>
        <label class="tools">
          {words.historyOf}{" "}
          <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {last.answers.map(({ answer }) => (
              <option key={answer} value={answer}>
                {visible(answer)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Series
        points={drawn}
        label={`${words.history}: ${visible(chosen)}`}
        axis={calendar.windowAxis}
        decimals={decimals}
      />
      <p class="fine">{words.historyWhy(levelText(last.level))}</p>
      {rough > 0 && <p class="notice">{words.roughWindows(rough, windows.length)}</p>}
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
