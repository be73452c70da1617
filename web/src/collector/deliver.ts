/**
 * A report on its way: the same bytes under the same id, until the collector has it or refuses.
 *
 * What an answer means is the table of docs/reference/delivery.md, as src/sudare/device/delivery.py
 * has it; tests/golden/delivery.json holds both to it.
 */

import { problemOf, type Problem } from "./problem";

/** What is sent, to the letter. */
export interface Letter {
  readonly address: string;
  readonly body: string;
}

/** What became of it. If it is doubtful, an earlier attempt may have counted all the same. */
export type Outcome =
  | { readonly kind: "counted"; readonly repeated: boolean }
  /** Taken, but its round was closed: it counts nowhere. */
  | { readonly kind: "late"; readonly doubtful: boolean }
  | { readonly kind: "refused"; readonly doubtful: boolean; readonly problem: Problem };

/** Why it isn't there yet, and in how many seconds it is tried again. */
export type Delay =
  | { readonly kind: "unreachable"; readonly seconds: number }
  | { readonly kind: "busy"; readonly seconds: number; readonly problem: Problem };

/** The world around a delivery; a test has its own. */
export interface Post {
  fetch(address: string, options: RequestInit): Promise<Response>;
  /** Resolves after so many seconds; if it wakes, earlier when the network is back. */
  pause(seconds: number, wakes: boolean): Promise<void>;
  /** From 0 to 1: so that all who wait don't come again at once. */
  random(): number;
}

/** How many reports counted now, had counted before, or never will; durably. */
interface Receipt {
  readonly new: number;
  readonly repeated: number;
  readonly refused: number;
}

/** What an answer means for the report. Of those that wait, whether it may have counted. */
export type Verdict =
  | { readonly does: "taken"; readonly receipt: Receipt }
  | { readonly does: "refused"; readonly problem: Problem }
  | {
      readonly does: "collector waits" | "collection waits";
      readonly doubtful: boolean;
      /** Seconds that the collector asks to wait. */
      readonly later: number;
      /** What the collector said; null if it wasn't the collector, or said nothing. */
      readonly problem: Problem | null;
    };

export const TIMEOUT = 20_000; // milliseconds for one attempt
export const API = "1";
const FIRST_PAUSE = 0.5; // seconds, as is the longest
const LONGEST_PAUSE = 60;
const LONGEST_WAIT = 86_400; // seconds, whatever Retry-After says
const COLLECTOR_WAITS = new Set([408, 429, 503]);
const COLLECTION_WAITS = new Set([
  "body_cut",
  "not_open",
  "paused",
  "window_full",
  "window_not_open",
]);
const UNANSWERED: Verdict = { does: "collector waits", doubtful: true, later: 0, problem: null };

/** A report as it is kept: the id is made once, so that sent again it counts once. */
export interface Kept {
  readonly window: number;
  /** Hexadecimal, as is the record. */
  readonly id: string;
  readonly record: string;
}

/** The letter of a report to a collector. */
export function letterOf(collector: string, key: string, { window, id, record }: Kept): Letter {
  return {
    address: `${collector}/collections/${key}/reports?window=${window}`,
    body: JSON.stringify({ id, report: record }),
  };
}

/**
 * Send a letter until it has an outcome. The same letter may be delivered again at any time; `sent`
 * says whether it was sent before.
 */
export async function deliver(
  letter: Letter,
  invitation: string,
  sent: boolean,
  delayed: (delay: Delay) => void,
  post: Post = browserPost,
): Promise<Outcome> {
  let doubtful = sent;
  for (let failures = 0; ; failures++) {
    const verdict = await attempt(letter, invitation, post);
    if (verdict.does === "refused") return { kind: "refused", doubtful, problem: verdict.problem };
    if (verdict.does === "taken") {
      const { refused, repeated } = verdict.receipt;
      return refused > 0 ? { kind: "late", doubtful } : { kind: "counted", repeated: repeated > 0 };
    }
    doubtful ||= verdict.doubtful;
    const { problem, later } = verdict;
    const seconds = pauseAfter(failures, later, post.random());
    delayed(problem ? { kind: "busy", seconds, problem } : { kind: "unreachable", seconds });
    await post.pause(seconds, verdict === UNANSWERED);
  }
}

async function attempt(letter: Letter, invitation: string, post: Post): Promise<Verdict> {
  try {
    const response = await post.fetch(letter.address, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(invitation && { "Sudare-Invitation": invitation }),
      },
      body: letter.body,
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    return await verdictOf(response);
  } catch {
    return UNANSWERED;
  }
}

/** What an answer means for the report that it is the answer to. */
export async function verdictOf(response: Response): Promise<Verdict> {
  const { status } = response;
  const later = retryAfter(response.headers.get("Retry-After"));
  if (response.headers.get("Sudare-Api") !== API) {
    return { does: "collector waits", doubtful: true, later, problem: null };
  }
  if (status < 400) {
    const receipt = status === 202 ? await receiptOf(response) : null;
    if (receipt) return { does: "taken", receipt };
    return { does: "collection waits", doubtful: true, later: 0, problem: null };
  }
  const problem = await problemOf(response);
  const doubtful = status >= 500;
  if (COLLECTOR_WAITS.has(status)) return { does: "collector waits", doubtful, later, problem };
  if (doubtful || COLLECTION_WAITS.has(problem.code)) {
    return { does: "collection waits", doubtful, later, problem };
  }
  return { does: "refused", problem };
}

async function receiptOf(response: Response): Promise<Receipt | null> {
  try {
    const receipt = (await response.json()) as Receipt;
    const counts = [receipt.new, receipt.repeated, receipt.refused];
    return counts.every((count) => Number.isSafeInteger(count) && count >= 0) ? receipt : null;
  } catch {
    return null;
  }
}

/** The seconds of a Retry-After header: a number, or a date; 0 if it says neither. */
export function retryAfter(said: string | null): number {
  if (!said) return 0;
  const date = /^[A-Z][a-z]{2},/.test(said) ? (Date.parse(said) - Date.now()) / 1000 : NaN;
  const seconds = Number.isNaN(date) ? Number(said) : date;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), LONGEST_WAIT) : 0;
}

/** Seconds until the next attempt, after so many failures before this one. */
export function pauseAfter(failures: number, later: number, chance: number): number {
  return later + chance * Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
}

const browserPost: Post = {
  fetch: (address, options) => fetch(address, options),
  random: () => (crypto.getRandomValues(new Uint32Array(1))[0] as number) / 2 ** 32,
  pause: (seconds, wakes) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, seconds * 1000);
      function done(): void {
        clearTimeout(timer);
        removeEventListener("online", done);
        resolve();
      }
      if (wakes) addEventListener("online", done, { once: true });
    }),
};
