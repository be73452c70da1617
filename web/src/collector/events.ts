/**
 * Server-sent events over `fetch`.
 *
 * The browser's own `EventSource` can't send a token and doesn't say why it was refused.
 */

import { bearing } from "./api";
import { problemOf, Problem } from "./problem";

export interface ServerEvent {
  readonly kind: string;
  readonly data: string;
  readonly id: string;
}

/** Turns pieces of a stream, cut anywhere, into whole events. */
export class EventReader {
  #line = "";
  #kind = "message";
  #data: string[] = [];
  #id = "";
  /** Milliseconds to wait before coming again, if the server has said so. */
  retry: number | null = null;

  /** The events that a piece completes. */
  read(piece: string): ServerEvent[] {
    const lines = (this.#line + piece).split("\n");
    this.#line = lines.pop() as string;
    return lines.flatMap((line) => this.#take(line.replace(/\r$/, "")));
  }

  #take(line: string): ServerEvent[] {
    if (line === "") {
      const event = { kind: this.#kind, data: this.#data.join("\n"), id: this.#id };
      const isEmpty = this.#data.length === 0;
      [this.#kind, this.#data] = ["message", []];
      return isEmpty ? [] : [event];
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line) as unknown as [string, string, string];
    if (field === "event") this.#kind = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id") this.#id = value;
    else if (field === "retry" && /^[0-9]+$/.test(value)) this.retry = Number(value);
    return [];
  }
}

export interface Listener {
  readonly heard: (event: ServerEvent) => void;
  readonly connected: () => void;
  /** The line is cut; it is tried again. */
  readonly lost: () => void;
  /** The collector refuses, and trying again wouldn't help. */
  readonly refused: (problem: Problem) => void;
}

const SILENCE = 40_000; // milliseconds: the collector sends a comment every 15 seconds
const WAIT = 2_000;
const LONGEST_WAIT = 30_000;

/** Listen until the signal aborts, coming again whenever the line is cut. */
export async function listen(
  path: string,
  token: string,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  let id = "";
  let failures = 0;
  let wait = WAIT;
  while (!signal.aborted) {
    try {
      const reader = new EventReader();
      for await (const piece of pieces(path, token, id, signal)) {
        if (piece === null) {
          failures = 0;
          listener.connected();
          continue;
        }
        for (const event of reader.read(piece)) {
          if (event.id) id = event.id;
          listener.heard(event);
        }
        wait = reader.retry ?? WAIT;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status < 500 && error.status !== 429) {
        listener.refused(error);
        return;
      }
    }
    if (signal.aborted) return;
    listener.lost();
    failures += 1;
    await pause(Math.min(wait * 2 ** (failures - 1), LONGEST_WAIT), signal);
  }
}

/** null when the line stands, then the text of each piece. */
async function* pieces(
  path: string,
  token: string,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<string | null> {
  const silence = new AbortController();
  const stop = (): void => silence.abort();
  signal.addEventListener("abort", stop, { once: true });
  let timer = setTimeout(stop, SILENCE);
  try {
    const response = await fetch(path, {
      headers: { ...bearing(token), ...(id && { "Last-Event-ID": id }) },
      cache: "no-store",
      credentials: "omit",
      signal: silence.signal,
    });
    if (!response.ok || !response.body) throw await problemOf(response);
    yield null;
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE);
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    silence.abort();
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      removeEventListener("online", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
    addEventListener("online", done, { once: true });
  });
}
