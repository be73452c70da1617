/** What the collector answers to somebody's wishes: a plan, or why there is none. */

import { useEffect, useRef, useState } from "preact/hooks";

import { Problem, problemOf } from "../collector/problem";
import type { Found, Goal, Kind } from "./fields";

const PAUSE = 250; // milliseconds without a change, until the collector is asked
const LONGEST_PAUSE = 2000; // where plans take their time: nobody should wait for older ones
const SOONEST = 1; // seconds until a busy collector is asked again
const LATEST = 30;

/** One mechanism that grants what is wished. */
export interface Row {
  readonly mechanism: string;
  readonly people: number;
  readonly reports: number;
  readonly epsilon: number;
  readonly error: number | null;
  readonly smallest_share: number | null;
  readonly difference: number | null;
  readonly bytes: number;
  readonly forger_moves: number | null;
  readonly year_epsilon: number | null;
  readonly device_ns: number | null;
  readonly server_ns: number | null;
  readonly rough: boolean;
}

/** The same wish where somebody else is trusted. */
export interface Model {
  readonly model: "randomised" | "two_parties" | "curator";
  readonly people: number;
  readonly error: number;
  readonly exact: boolean;
}

/** What the recommended mechanism takes at an ε. */
export interface CurvePoint {
  readonly epsilon: number;
  readonly people: number;
  readonly error: number | null;
}

/** A plan, as `GET /plans` has it: docs/reference/http.md. */
export interface Plan {
  readonly kind: Kind;
  readonly wishes: {
    readonly share: number;
    readonly compare: number | null;
    readonly visits: number;
    readonly power: number;
    readonly level: number;
    readonly most_bytes: number;
    readonly found_out?: "mean" | "distribution";
    readonly most?: number;
  };
  readonly found: Found;
  readonly goal: Goal;
  readonly unit: "share" | "number" | "people";
  readonly recommended: Row;
  readonly mechanisms: readonly Row[];
  readonly left_out: readonly { readonly mechanism: string; readonly bytes: number }[];
  readonly curve: readonly CurvePoint[];
  readonly models: readonly Model[];
  readonly truth: { readonly fits_own: number; readonly fits_other: number } | null;
  readonly average_share: number | null;
  readonly collection: object | null;
  readonly command: string;
}

export interface Answer {
  /** What was asked. */
  readonly query: string;
  readonly plan: Plan | null;
  readonly problem: unknown;
}

export interface Answered {
  /** The last answer, which may be of older wishes while `isWaiting`. */
  readonly answer: Answer | null;
  readonly isWaiting: boolean;
  /** Whether it is a collector that answers: only there can a collection be made. */
  readonly isCollector: boolean;
}

/** Ask what a query is answered, a moment after its last change; null asks nothing. */
export function useAnswer(query: string | null): Answered {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [isCollector, setCollector] = useState(false);
  const took = useRef(0);
  useEffect(() => {
    if (query === null) return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const askOnce = async (): Promise<void> => {
      const begun = performance.now();
      try {
        const response = await fetch(`/plans?${query}`, {
          cache: "no-store",
          credentials: "omit",
          signal: ending.signal,
        });
        setCollector(response.headers.has("sudare-api"));
        if (response.status === 429 || response.status === 503) {
          timer = setTimeout(() => void askOnce(), 1000 * secondsOf(response));
          return;
        }
        const plan = response.ok ? ((await response.json()) as Plan) : null;
        const problem = plan ? null : await problemOf(response);
        took.current = performance.now() - begun;
        if (!ending.signal.aborted) setAnswer({ query, plan, problem });
      } catch (problem) {
        if (!ending.signal.aborted) setAnswer({ query, plan: null, problem });
      }
    };
    const pause = Math.min(LONGEST_PAUSE, Math.max(PAUSE, took.current));
    timer = setTimeout(() => void askOnce(), answer === null ? 0 : pause);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [query]);
  return { answer, isWaiting: query !== null && answer?.query !== query, isCollector };
}

/** In how many seconds a busy collector wants to be asked again. */
function secondsOf(response: Response): number {
  const said = Number(response.headers.get("Retry-After") ?? SOONEST);
  return Math.min(LATEST, Math.max(SOONEST, said || SOONEST));
}

/** A refusal that the page can explain and lead out of. */
export function refusalOf(problem: unknown): Problem | null {
  return problem instanceof Problem && problem.status === 400 ? problem : null;
}
