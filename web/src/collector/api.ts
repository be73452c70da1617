/** The collector's HTTP interface, as far as the pages use it: docs/reference/http.md. */

import { problemOf } from "./problem";

export type State = "open" | "paused" | "closed";

/** A window: how many reports have counted, and of how many results are shown. */
export interface WindowStanding {
  readonly window: number;
  readonly reports: number;
  readonly released: number;
  readonly closed: boolean;
}

/** A collection as it stands. */
export interface Standing {
  readonly key: string;
  readonly name: string;
  readonly question: string;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly lifetime_epsilon: number | null;
  readonly over_time: boolean;
  readonly free_text: boolean;
  /** Said only where people select several answers. */
  readonly several?: boolean;
  /** What is found out of the numbers that people answer: said only where they do. */
  readonly number?: string;
  /** How many questions are asked at once; said only where there are several. */
  readonly questions?: number;
  readonly state: State;
  readonly public: boolean;
  readonly grace: number;
  readonly window: number;
  readonly rounds: number | null;
  readonly round: number | null;
  readonly reports: number;
  readonly windows: readonly WindowStanding[];
  readonly per_minute: readonly number[];
  readonly privacy: {
    readonly promise: string;
    readonly odds: string;
    readonly kept: string;
    readonly invitations: string | null;
    readonly minimum_reports: number;
  };
}

export interface AnswerRow {
  readonly answer: string;
  readonly share: number;
  readonly stderr: number;
  readonly low: number;
  readonly high: number;
  /** Whether too few reports are behind it for its interval to keep its level. */
  readonly rough: boolean;
}

export interface RoundRow {
  readonly round: number;
  readonly reports: number | null;
  readonly share: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly band_low: number | null;
  readonly band_high: number | null;
  readonly withheld: boolean;
}

export interface TextRow {
  readonly candidate: string;
  readonly share: number;
  readonly stderr: number;
  readonly low: number;
  readonly high: number;
  readonly p_value: number;
}

interface Result {
  readonly window: number | "all";
  readonly n: number;
  readonly level: number;
}

export interface Answers extends Result {
  readonly answers: readonly AnswerRow[];
}

export interface Selections extends Answers {
  /** How many answers a person may select. */
  readonly most: number;
  /** How many people select, in the mean. */
  readonly selected: {
    readonly mean: number;
    readonly stderr: number;
    readonly low: number;
    readonly high: number;
    /** Whether too few reports are behind the interval. */
    readonly rough: boolean;
  };
}

export interface MeanRow {
  readonly mean: number;
  readonly stderr: number;
  readonly low: number;
  readonly high: number;
}

export interface Means extends Result {
  /** The numbers that people may answer. */
  readonly range: { readonly least: number; readonly most: number; readonly step: number };
  readonly estimates: readonly MeanRow[];
}

export interface BinRow {
  /** The least and the largest number of a bin, both in it. */
  readonly least: number;
  readonly most: number;
  readonly share: number;
  readonly unbiased: number;
  readonly stderr: number;
  readonly low: number;
  readonly high: number;
}

export interface QuantileRow {
  readonly quantile: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Distribution extends Result {
  readonly range: Means["range"];
  readonly bins: readonly BinRow[];
  readonly quantiles: readonly QuantileRow[];
  readonly estimates: readonly MeanRow[];
}

/** The shares of one of several questions; none where it is withheld. */
export interface QuestionShares {
  readonly name: string;
  readonly question: string;
  readonly n: number;
  readonly withheld: boolean;
  readonly answers: readonly AnswerRow[];
}

export interface Several extends Result {
  readonly questions: readonly QuestionShares[];
}

export interface Rounds extends Result {
  readonly state: string;
  readonly rounds: number;
  readonly reports_each: number;
  readonly minimum_reports: number;
  readonly estimates: readonly RoundRow[];
}

export interface Texts extends Result {
  readonly candidates: number;
  /** The share of those found that may be there by chance. */
  readonly false_discoveries: number;
  readonly correction: "benjamini-hochberg" | "bonferroni" | "none";
  /** How many times the noise of randomising the noise is, where that is known. */
  readonly excess_noise: number | null;
  readonly smallest_detectable: number;
  readonly found: readonly TextRow[];
  readonly unexplained: { readonly share: number; readonly stderr: number };
}

export type Estimate = Answers | Selections | Several | Means | Distribution | Rounds | Texts;

/** Of a demonstration: true shares by answer, by text, or by round counted over all windows. */
export type Truth = Readonly<Record<string, number>>;

/** The headers of a request by the bearer of a token, or by anybody. */
export function bearing(token: string): Record<string, string> {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** A response that is a success; else its `Problem` is thrown. */
export async function ask(path: string, token = "", signal?: AbortSignal): Promise<Response> {
  const response = await fetch(path, {
    headers: bearing(token),
    cache: "no-store",
    credentials: "omit",
    ...(signal && { signal }),
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The collections that whoever bears this token may see; without one, those that are public. */
export async function fetchStandings(
  token: string,
  signal?: AbortSignal,
): Promise<readonly Standing[]> {
  const { collections } = (await (await ask("/collections", token, signal)).json()) as {
    collections: readonly Standing[];
  };
  return collections;
}

/** Whether a collector answers, even if it doesn't let this page read what it says. */
export async function answersAtAll(collector: string): Promise<boolean> {
  const blindly: RequestInit = { mode: "no-cors", cache: "no-store", credentials: "omit" };
  return fetch(`${collector}/healthz`, blindly).then(
    () => true,
    () => false,
  );
}

/** The bytes of a collection's public document, from the collector of this page or another one. */
export async function fetchDocument(key: string, collector = ""): Promise<Uint8Array> {
  const response = await ask(`${collector}/collections/${encodeURIComponent(key)}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Whether this collector is a demonstration, which knows the truth. Asking costs no error. */
export async function tellsTruth(): Promise<boolean> {
  const { paths } = (await (await ask("/openapi.json")).json()) as { paths: object };
  return "/collections/{key}/truth" in paths;
}

export async function fetchEstimate(
  key: string,
  window: string,
  token: string,
  signal: AbortSignal,
): Promise<Estimate> {
  const path = `/collections/${key}/estimate?window=${window}`;
  return (await (await ask(path, token, signal)).json()) as Estimate;
}

/** The estimates of the last windows that show anything, the earliest first. */
export async function fetchHistory(
  key: string,
  last: number,
  level: number,
  token: string,
  signal: AbortSignal,
): Promise<readonly Estimate[]> {
  const path = `/collections/${key}/history?last=${last}&level=${level}`;
  const response = await ask(path, token, signal);
  return ((await response.json()) as { windows: readonly Estimate[] }).windows;
}

export async function fetchTruth(key: string): Promise<Truth> {
  const { truth } = (await (await ask(`/collections/${key}/truth`)).json()) as { truth: Truth };
  return truth;
}
