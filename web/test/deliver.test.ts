/** Delivery: the same letter until there is an outcome, by the table that Python follows, too. */

import { expect, test } from "vitest";

import {
  deliver,
  letterOf,
  pauseAfter,
  retryAfter,
  verdictOf,
  type Delay,
  type Outcome,
  type Post,
} from "../src/collector/deliver";
import { readJson } from "./files";

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly body?: unknown;
  /** The header Sudare-Api, unless it is 1. */
  readonly mark?: string | null;
}
interface Meant extends Answer {
  readonly does: string;
  readonly doubtful: boolean;
}
interface Golden {
  readonly problems: readonly Meant[];
  readonly answers: readonly Meant[];
  readonly retry_after: readonly [said: string | null, seconds: number][];
  readonly pauses: readonly {
    failures: number;
    later: number;
    chance: number;
    seconds: number;
  }[];
  readonly deliveries: readonly { about: string; answers: readonly Reply[]; fate: string }[];
}
type Reply = "cut" | Answer;

const GOLDEN = readJson<Golden>("../tests/golden/delivery.json");
const KEPT = { window: 3, id: "00".repeat(16), record: "01" };
const LETTER = letterOf("https://collector.example", "aa".repeat(32), KEPT);

const said = (code: string | undefined) => ({ error: { code, message: `it is ${code}` } });

function response(answer: Answer, headers: Record<string, string> = {}): Response {
  const { status, code, body = said(code), mark = "1" } = answer;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const marked = mark === null ? headers : { ...headers, "Sudare-Api": mark };
  return new Response(text, { status, headers: marked });
}

async function delivered(sent: boolean, answers: readonly Reply[], later = "") {
  const replies = [...answers];
  const requests: { address: string; body: unknown; headers: Headers }[] = [];
  const pauses: [seconds: number, wakes: boolean][] = [];
  const delays: Delay[] = [];
  const post: Post = {
    random: () => 1,
    pause: (...pause) => {
      pauses.push(pause);
      return Promise.resolve();
    },
    fetch: (address, options) => {
      requests.push({ address, body: options.body, headers: new Headers(options.headers) });
      const reply = replies.shift() as Reply;
      if (reply === "cut") return Promise.reject(new TypeError("cut"));
      return Promise.resolve(response(reply, { "Retry-After": later }));
    },
  };
  const outcome = await deliver(LETTER, "an-invitation", sent, (delay) => delays.push(delay), post);
  expect(replies).toEqual([]);
  for (const { address, body, headers } of requests) {
    expect({ address, body }).toEqual(LETTER); // to the letter, each time
    expect(headers.get("Sudare-Invitation")).toBe("an-invitation");
  }
  return { outcome, pauses, delays };
}

function fateOf(outcome: Outcome): string {
  if (outcome.kind === "counted") return "taken";
  return outcome.doubtful ? "doubtful" : "refused";
}

test("a letter says its window, its id and its record", () => {
  const path = `/collections/${"aa".repeat(32)}/reports?window=3`;
  expect(LETTER.address).toBe(`https://collector.example${path}`);
  expect(JSON.parse(LETTER.body)).toEqual({ id: "00".repeat(16), report: "01" });
});

test.each([...GOLDEN.problems, ...GOLDEN.answers])(
  "$status $code $about means what the table says",
  async (meant) => {
    const verdict = await verdictOf(response(meant, { "Retry-After": "7" }));
    expect(verdict.does).toBe(meant.does);
    if (verdict.does === "taken") expect(verdict.receipt).toEqual(meant.body);
    else if (verdict.does === "refused") expect(verdict.problem.status).toBe(meant.status);
    else {
      const isOdd = meant.status < 400 && meant.mark !== null;
      expect([verdict.doubtful, verdict.later]).toEqual([meant.doubtful, isOdd ? 0 : 7]);
    }
  },
);

test.each(GOLDEN.retry_after)("Retry-After: %s is %d seconds", (text, seconds) => {
  expect(retryAfter(text)).toBe(seconds);
});

test.each(GOLDEN.pauses)("pause %#", ({ failures, later, chance, seconds }) => {
  expect(pauseAfter(failures, later, chance)).toBe(seconds);
});

test.each(GOLDEN.deliveries)("$about", async ({ answers, fate }) => {
  expect(fateOf((await delivered(false, answers)).outcome)).toBe(fate);
  // Whatever was sent in an earlier visit may have counted.
  const again = fateOf((await delivered(true, answers)).outcome);
  expect(again).toBe(fate === "refused" ? "doubtful" : fate);
});

test("what is taken is counted, before or now, or too late", async () => {
  const [before, late] = [
    { new: 0, repeated: 1, refused: 0 },
    { new: 0, repeated: 0, refused: 1 },
  ].map((body) => delivered(false, [{ status: 202, body }]));
  expect((await before)?.outcome).toEqual({ kind: "counted", repeated: true });
  expect((await late)?.outcome).toEqual({ kind: "late", doubtful: false });
});

test("it waits as the table says, and wakes only where nobody answered", async () => {
  const { pauses, delays } = await delivered(
    false,
    [
      "cut",
      { status: 503, code: "store_unavailable" },
      { status: 404, body: "<html>a proxy</html>", mark: null },
      { status: 409, code: "paused" },
      { status: 202, body: { new: 1, repeated: 0, refused: 0 } },
    ],
    "30",
  );
  expect(pauses).toEqual([
    [0.5, true],
    [31, false],
    [32, false],
    [34, false],
  ]);
  expect(delays.map(({ kind }) => kind)).toEqual(["unreachable", "busy", "unreachable", "busy"]);
  expect(JSON.stringify(delays)).not.toContain("proxy");
});
