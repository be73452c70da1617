/** Server-sent events, however the stream is cut into pieces. */

import { expect, test } from "vitest";

import { EventReader } from "../src/collector/events";

const STREAM =
  'retry: 2000\n\n: still here\n\nid: 7\nevent: estimate\ndata: {"n": 1}\n\n' +
  "event: standing\r\ndata: a\r\ndata:b\r\n\r\nevent: nothing\n\n";
const EVENTS = [
  { kind: "estimate", data: '{"n": 1}', id: "7" },
  { kind: "standing", data: "a\nb", id: "7" },
];

test("the same events come of every way to cut a stream", () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const reader = new EventReader();
    const heard = [];
    for (let at = 0; at < STREAM.length; at += size) {
      heard.push(...reader.read(STREAM.slice(at, at + size)));
    }
    expect(heard, `pieces of ${size}`).toEqual(EVENTS);
    expect(reader.retry).toBe(2000);
  }
});

test("an event that isn't whole yet is not heard", () => {
  const reader = new EventReader();
  expect(reader.read("event: standing\ndata: {}\n")).toEqual([]);
  expect(reader.read("\n")).toHaveLength(1);
});
