/** Delivery: the same letter until there is an outcome, and never on after a refusal. */

import { expect, test } from "vitest";

import { deliver, letterOf, type Delay, type Post } from "../src/collector/deliver";

const LETTER = letterOf("aa".repeat(32), 3, "00".repeat(16), "01");
type Reply = "cut" | [status: number, body: unknown, headers?: Record<string, string>];

const refusal = (code: string) => ({ error: { code, message: `it is ${code}` } });
const COUNTED: Reply = [202, { new: 1, repeated: 0, refused: 0 }];

async function delivered(...replies: Reply[]) {
  const requests: { path: string; body: unknown; headers: Headers }[] = [];
  const pauses: number[] = [];
  const delays: Delay[] = [];
  const post: Post = {
    random: () => 0.5,
    pause: (seconds) => {
      pauses.push(seconds);
      return Promise.resolve();
    },
    fetch: (path, options) => {
      requests.push({ path, body: options.body, headers: new Headers(options.headers) });
      const reply = replies.shift() as Reply;
      if (reply === "cut") return Promise.reject(new TypeError("cut"));
      const [status, body, headers] = reply;
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return Promise.resolve(new Response(text, { status, headers: headers ?? {} }));
    },
  };
  const outcome = await deliver(LETTER, "an-invitation", (delay) => delays.push(delay), post);
  expect(replies).toEqual([]);
  for (const { path, body, headers } of requests) {
    expect({ path, body }).toEqual(LETTER); // to the letter, each time
    expect(headers.get("Sudare-Invitation")).toBe("an-invitation");
  }
  return { outcome, pauses, delays, attempts: requests.length };
}

test("a letter says its window, its id and its record", () => {
  expect(LETTER.path).toBe(`/collections/${"aa".repeat(32)}/reports?window=3`);
  expect(JSON.parse(LETTER.body)).toEqual({ id: "00".repeat(16), report: "01" });
});

test("what is taken is counted, before or now, or too late", async () => {
  expect((await delivered(COUNTED)).outcome).toEqual({ kind: "counted", repeated: false });
  const repeated = await delivered([202, { new: 0, repeated: 1, refused: 0 }]);
  expect(repeated.outcome).toEqual({ kind: "counted", repeated: true });
  expect((await delivered([202, { new: 0, repeated: 0, refused: 1 }])).outcome.kind).toBe("late");
});

test.each([400, 401, 403, 404, 409, 413, 415])("after %i it is not sent again", async (status) => {
  const { outcome, attempts } = await delivered([status, refusal("paused")]);
  expect(outcome).toMatchObject({ kind: "refused", problem: { code: "paused", status } });
  expect(attempts).toBe(1);
});

test("it waits longer each time, and as long as the collector says", async () => {
  const { outcome, pauses, delays } = await delivered(
    "cut",
    [503, refusal("store"), { "Retry-After": "30" }],
    [429, refusal("busy")],
    [502, "<html>a proxy</html>"],
    ...Array.from({ length: 4 }, (): Reply => "cut"),
    COUNTED,
  );
  expect(outcome.kind).toBe("counted");
  expect(pauses).toEqual([1, 30, 4, 8, 16, 32, 60, 60]);
  expect(delays.map(({ kind }) => kind).slice(0, 4)).toEqual([
    "unreachable",
    "busy",
    "busy",
    "busy",
  ]);
  expect(JSON.stringify(delays)).not.toContain("proxy");
});
