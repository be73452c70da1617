/** A report on its way: the same bytes under the same id, until the collector has it or refuses. */

import { problemOf, type Problem } from "./problem";

/** What is sent, to the letter. */
export interface Letter {
  readonly path: string;
  readonly body: string;
}

/** What became of it. */
export type Outcome =
  | { readonly kind: "counted"; readonly repeated: boolean }
  /** Taken, but its round was closed: it counts nowhere. */
  | { readonly kind: "late" }
  | { readonly kind: "refused"; readonly problem: Problem };

/** Why it isn't there yet, and in how many seconds it is tried again. */
export type Delay =
  | { readonly kind: "unreachable"; readonly seconds: number }
  | { readonly kind: "busy"; readonly seconds: number; readonly problem: Problem };

/** The world around a delivery; a test has its own. */
export interface Post {
  fetch(path: string, options: RequestInit): Promise<Response>;
  /** Resolves after so many seconds, or earlier when the network is back. */
  pause(seconds: number): Promise<void>;
  /** From 0 to 1: so that all who wait don't come again at once. */
  random(): number;
}

const TIMEOUT = 20_000; // milliseconds for one attempt
const LONGEST = 60; // seconds between two attempts
const AGAIN = new Set([408, 425, 429]);

/** The letter of a report. The id is made once: sent again, the report counts once. */
export function letterOf(key: string, window: number, id: string, record: string): Letter {
  return {
    path: `/collections/${key}/reports?window=${window}`,
    body: JSON.stringify({ id, report: record }),
  };
}

/** Send a letter until it has an outcome. The same letter may be delivered again at any time. */
export async function deliver(
  letter: Letter,
  invitation: string,
  delayed: (delay: Delay) => void,
  post: Post = browserPost,
): Promise<Outcome> {
  for (let attempt = 0; ; attempt++) {
    const backOff = Math.min(2 ** attempt, LONGEST) * (0.75 + post.random() / 2);
    let seconds = backOff;
    try {
      const response = await post.fetch(letter.path, {
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
      if (response.status === 202) return outcomeOf(await response.json());
      const problem = await problemOf(response);
      if (response.status < 500 && !AGAIN.has(response.status)) return { kind: "refused", problem };
      seconds = Math.max(problem.retryAfter ?? 0, backOff);
      delayed({ kind: "busy", seconds, problem });
    } catch {
      delayed({ kind: "unreachable", seconds });
    }
    await post.pause(seconds);
  }
}

function outcomeOf(receipt: { new: number; repeated: number; refused: number }): Outcome {
  if (receipt.refused > 0) return { kind: "late" };
  return { kind: "counted", repeated: receipt.repeated > 0 };
}

const browserPost: Post = {
  fetch: (path, options) => fetch(path, options),
  random: () => (crypto.getRandomValues(new Uint32Array(1))[0] as number) / 2 ** 32,
  pause: (seconds) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, seconds * 1000);
      function done(): void {
        clearTimeout(timer);
        removeEventListener("online", done);
        resolve();
      }
      addEventListener("online", done, { once: true });
    }),
};
