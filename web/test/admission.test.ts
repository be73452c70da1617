/** What an answer to the question whether a report would be taken means for the page. */

import { afterEach, expect, test, vi } from "vitest";

import { askAdmission, type Admission } from "../src/collector/admission";
import { Problem } from "../src/collector/problem";
import { words as en } from "../src/survey/language/en";
import { words as ja } from "../src/survey/language/ja";
import { obstacleOf, refused } from "../src/survey/obstacle";

afterEach(() => vi.unstubAllGlobals());

const MARKED = { "Sudare-Api": "1" };
const said = (code: string): string => JSON.stringify({ error: { code, message: "No." } });

async function asked(respond: () => Response): Promise<[Admission, Request]> {
  const requests: Request[] = [];
  vi.stubGlobal("fetch", async (address: string, options: RequestInit) => {
    requests.push(new Request(address, options));
    return respond();
  });
  const place = { collector: "https://collector.example", invitation: "token" };
  const admission = await askAdmission(place, "key", 3);
  return [admission, requests[0] as Request];
}

test("the question names the window and the invitation, and nothing else", async () => {
  const [admission, request] = await asked(
    () => new Response('{"admitted":true}', { headers: MARKED }),
  );
  expect(admission).toEqual({ kind: "admitted" });
  expect(obstacleOf(admission)).toBeNull();
  expect(request.url).toBe("https://collector.example/collections/key/admission?window=3");
  expect([...request.headers]).toEqual([["sudare-invitation", "token"]]);
  expect([request.method, request.credentials]).toEqual(["GET", "omit"]);
});

test("who is no collector neither admits nor refuses", async () => {
  vi.stubGlobal("navigator", { onLine: true });
  for (const status of [200, 409, 502]) {
    const [admission] = await asked(() => new Response(said("closed"), { status }));
    expect(admission).toEqual({ kind: "unreachable" });
    expect(obstacleOf(admission)).toMatchObject({ name: "unreachable", passes: true });
  }
  const [failed] = await asked(() => {
    throw new TypeError("Failed to fetch");
  });
  expect(failed).toEqual({ kind: "unreachable" });
  vi.stubGlobal("navigator", { onLine: false });
  expect(obstacleOf(failed)).toMatchObject({ name: "offline", passes: true });
});

test.each([
  [409, "closed", "closed", false],
  [409, "paused", "paused", true],
  [409, "uninvited", "uninvited", false],
  [409, "window_full", "window_full", true],
  [409, "window_closed", "window_closed", false],
  [409, "window_not_open", "window_not_open", true],
  [404, "unknown_collection", "unknown_collection", false],
  [429, "busy", "busy", true],
  [503, "store_unavailable", "busy", true],
  [500, "internal", "busy", true],
  [400, "invalid_window", "invalid_window", false],
  [409, "something_new", "something_new", false],
])("%i %s is the page of %s", async (status, code, name, passes) => {
  const [admission] = await asked(() => new Response(said(code), { status, headers: MARKED }));
  const obstacle = obstacleOf(admission);
  expect(obstacle).toMatchObject({ name, passes });
  for (const words of [en, ja]) {
    const { title, what } = obstacle?.says(words) ?? {};
    expect(title).toBeTruthy();
    expect(what).toBeTruthy();
  }
});

test("each page says something of its own", () => {
  for (const words of [en, ja]) {
    const titles = Object.values(words.obstacles).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  }
  const { what } = refused(new Problem(409, "toString", "What it says.")).says(en);
  expect(what).toBe("\u2068What it says.\u2069");
});
