/** Window after window, as far back as a few requests reach. */

import { useEffect, useState } from "preact/hooks";

import { fetchHistory, type Estimate, type Standing, type WindowStanding } from "../collector/api";
import { reasonText } from "../page/reason";
import { kindOf } from "./kinds";
import { useWords } from "./language";
import type { Calendar } from "./times";

const MOST_WINDOWS = 30; // that a collector tells at once
const MOST_ROWS = 3000; // of all windows together: a request has an end
const OFTEN = 10_000; // milliseconds between two looks, while reports come in

interface HistoryProps {
  readonly standing: Standing;
  /** The one that is shown: a history begins where there is one. */
  readonly estimate: Estimate;
  readonly token: string;
  readonly calendar: Calendar;
}

/** The card of a collection's history, where it has windows and its kind has a history. */
export function History({ standing, estimate, token, calendar }: HistoryProps) {
  const { History: Drawn, rows } = kindOf(standing, estimate);
  const shown = standing.windows.filter((window) => releasesOf(standing, window) > 0);
  const size = (estimate as unknown as Readonly<Record<string, readonly unknown[]>>)[rows]?.length;
  const last = Math.max(2, Math.min(MOST_WINDOWS, Math.floor(MOST_ROWS / (size ?? 1))));
  const version = shown.map((each) => `${each.window}:${releasesOf(standing, each)}`).join();
  const wanted = Drawn !== null && shown.length > 1;
  const { found, problem } = useHistory(
    standing.key,
    last,
    estimate.level,
    token,
    wanted ? version : "",
  );
  const words = useWords();
  if (problem !== null) {
    return <p class="notice history">{words.failed(reasonText(words, problem))}</p>;
  }
  if (!Drawn || !found) return null;
  return (
    <section class="card history">
      <Drawn {...found} calendar={calendar} />
    </section>
  );
}

/** How often a window can have been released: a number that changes when there may be news. */
export function releasesOf({ privacy }: Standing, { reports }: WindowStanding): number {
  return Math.floor(reports / privacy.minimum_reports);
}

interface Found {
  readonly windows: readonly Estimate[];
  readonly band: readonly Estimate[];
}

function useHistory(
  key: string,
  last: number,
  level: number,
  token: string,
  version: string,
): { readonly found: Found | null; readonly problem: unknown } {
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    if (version === "") return;
    const ending = new AbortController();
    const look = async (): Promise<void> => {
      const windows = await fetchHistory(key, last, level, token, ending.signal);
      if (windows.length < 2) return;
      const wide = bandLevel(level, windows.length);
      const band = await fetchHistory(key, last, wide, token, ending.signal);
      if (ending.signal.aborted) return;
      setFound({ windows, band });
      setProblem(null);
    };
    const fail = (error: unknown): void => {
      if (!ending.signal.aborted) setProblem(error);
    };
    const timer = setTimeout(() => void look().catch(fail), found ? OFTEN : 0);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [key, last, level, token, version]);
  return { found, problem };
}

/** The level of each of several intervals that hold together at another (Bonferroni's). */
export function bandLevel(level: number, count: number): number {
  return Math.ceil(1e6 * (1 - (1 - level) / count)) / 1e6;
}
