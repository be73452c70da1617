/** Golden vectors: what each mechanism makes of given words, in every language. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";

import { keyOf } from "../src/device/canonical";
import { Continual } from "../src/device/continual";
import { InvalidAnswer, InvalidReport, ScriptExhausted } from "../src/device/errors";
import { readMechanism, type Mechanism } from "../src/device/mechanisms";
import type { Unread } from "../src/device/parameters";
import { Rappor } from "../src/device/rappor";
import { SetResponse, type Selected } from "../src/device/set_response";
import { SeveralQuestions, type Row } from "../src/device/several";
import { digest, positions } from "../src/device/strings";
import { SquareWave } from "../src/device/wave";
import { Window } from "../src/device/window";
import { ScriptedWords, type Words } from "../src/device/words";
import { readJson, script, seeded } from "./files";

interface Golden {
  readonly mechanism: string;
  readonly cases: {
    about: string;
    document: Unread;
    key: string;
    values: unknown[];
    script: string[];
    reports: string;
  }[];
  readonly bulk: { document: Unread; people: number; seed: number; sha256: string }[];
  readonly refused_values: { document: Unread; values: unknown[]; error: string }[];
  readonly refused_reports: { document: Unread; reports: string; error: string }[];
  readonly hashing?: {
    key: string;
    text: string;
    seed: string;
    step: string;
    hashes: number;
    bits: number;
    cohorts: number[];
    positions: number[][];
  }[];
}

/** Reports of values as they stand in a file; texts are hashed under the mechanism's own key. */
function randomize(mechanism: Mechanism, values: readonly unknown[], words: Words): Uint8Array {
  if (mechanism instanceof Continual) return mechanism.randomize(values as number[][], words);
  if (mechanism instanceof SetResponse) return mechanism.randomize(values as Selected[], words);
  if (mechanism instanceof SeveralQuestions) return mechanism.randomize(values as Row[], words);
  if (mechanism instanceof Rappor && mechanism.hashes > 0) {
    const key = keyOf(mechanism.document());
    return mechanism.randomize(
      values.map((text) => digest(key, text)),
      words,
    );
  }
  return mechanism.randomize(values as number[], words);
}

function bulkValues(mechanism: Mechanism, people: number): unknown[] {
  return Array.from({ length: people }, (_, i) => {
    if (mechanism instanceof Continual) {
      return Array.from({ length: mechanism.rounds }, (_, t) => (i >> ((t + 1) % 8)) & 1);
    }
    if (mechanism instanceof SetResponse) {
      const { k, most } = mechanism;
      return Array.from({ length: k }, (_, j) => Number((((j - i) % k) + k) % k < i % (most + 1)));
    }
    if (mechanism instanceof Window || mechanism instanceof SquareWave) {
      return i % (mechanism.steps + 1);
    }
    if (mechanism instanceof SeveralQuestions) return mechanism.sizes.map((k) => i % k);
    return mechanism.size > 0 ? i % mechanism.size : `text ${i % 100}`;
  });
}

const NAMES = [
  ...["grr", "oue", "sue", "subset", "set", "window", "wave", "projective", "hadamard", "olh"],
  ...["sample", "split", "joint"],
  ...["loloha", "rappor", "glance", "harmony", "borappor", "kshot"],
];

describe.each(NAMES)("%s", (name) => {
  const golden = readJson<Golden>(`../tests/golden/${name}.json`);

  test("the file has every part", () => {
    expect(golden.mechanism).toBe(name);
    const { cases, bulk, refused_values, refused_reports } = golden;
    for (const part of [cases, bulk, refused_values, refused_reports]) {
      expect(part.length).toBeGreaterThan(0);
    }
    expect(golden.hashing !== undefined).toBe(name === "rappor");
  });

  test.each(golden.cases)("$about", ({ document, key, values, script: numbers, reports }) => {
    const mechanism = readMechanism(document);
    expect(mechanism.document()).toEqual(document);
    expect(keyOf(mechanism.document())).toBe(key);
    const words = new ScriptedWords(script(numbers));
    expect(bytesToHex(randomize(mechanism, values, words))).toBe(reports);
    expect(words.used).toBe(numbers.length);
    if (numbers.length > 0) {
      const short = new ScriptedWords(script(numbers.slice(0, -1)));
      expect(() => randomize(mechanism, values, short)).toThrow(ScriptExhausted);
    }
  });

  test.each(golden.bulk)("bulk of $people", ({ document, people, seed, sha256: wanted }) => {
    const mechanism = readMechanism(document);
    const reports = randomize(mechanism, bulkValues(mechanism, people), seeded(seed));
    expect(bytesToHex(sha256(reports))).toBe(wanted);
  });

  test.each(golden.refused_values)("refused values %#", ({ document, values, error }) => {
    expect(error).toBe("InvalidAnswer");
    const words = new ScriptedWords([]);
    expect(() => randomize(readMechanism(document), values, words)).toThrow(InvalidAnswer);
  });

  test.each(golden.refused_reports)("refused reports %#", ({ document, reports, error }) => {
    expect(error).toBe("InvalidReport");
    const mechanism = readMechanism(document);
    const bytes = hexToBytes(reports);
    const readAll = (): void => {
      for (let at = 0; at < bytes.length; at += mechanism.recordBytes) {
        mechanism.readReport(bytes.slice(at, at + mechanism.recordBytes));
      }
    };
    expect(bytes.length % mechanism.recordBytes).toBe(0);
    expect(readAll).toThrow(InvalidReport);
  });

  test.each(golden.cases)("reports are read back: $about", ({ document, reports }) => {
    const mechanism = readMechanism(document);
    const bytes = hexToBytes(reports);
    for (let at = 0; at < bytes.length; at += mechanism.recordBytes) {
      mechanism.readReport(bytes.slice(at, at + mechanism.recordBytes));
    }
    expect(() => mechanism.readReport(new Uint8Array(mechanism.recordBytes + 1))).toThrow(
      InvalidReport,
    );
  });

  test.each(golden.hashing ?? [])("hashing %#", (case_) => {
    const found = digest(case_.key, case_.text);
    const hex = (word: bigint): string => word.toString(16).padStart(16, "0");
    expect([hex(found.seed), hex(found.step)]).toEqual([case_.seed, case_.step]);
    const places = case_.cohorts.map((c) => positions(found, c, case_.hashes, case_.bits));
    expect(places).toEqual(case_.positions);
  });
});
