/** Collections: the same key and the same ε as in Python, and everything else refused. */

import { describe, expect, test } from "vitest";

import { Collection } from "../src/device/collection";
import { InvalidAnswer, InvalidDocument } from "../src/device/errors";
import { logUp } from "../src/device/fractions";
import { readJson, utf8 } from "./files";

interface Known {
  readonly document: string;
  readonly key: string;
  readonly epsilon?: number;
  readonly lifetime_epsilon?: number | null;
}

const KNOWN = readJson<Known[]>("test/fixtures/collections.json");
const LOGARITHMS = readJson<[string, string, number, number][]>("test/fixtures/logarithms.json");
type Fields = Record<string, unknown>;

function read(document: unknown): Collection {
  return Collection.read(utf8(JSON.stringify(document)));
}

/** The fields of a known collection of a mechanism. */
function fields(mechanism: string): Fields & { mechanism: Fields } {
  const found = KNOWN.map(({ document }) => JSON.parse(document) as Fields);
  return found.find(
    (document) => (document["mechanism"] as Fields)["name"] === mechanism,
  ) as Fields & {
    mechanism: Fields;
  };
}

describe("Python's collections", () => {
  test.each(KNOWN)("%# have the same key and ε", ({ document, key, epsilon, lifetime_epsilon }) => {
    const collection = Collection.readPinned(utf8(document), key);
    expect(collection.key).toBe(key);
    if (epsilon !== undefined) {
      expect(collection.epsilon).toBe(epsilon);
      expect(collection.lifetimeEpsilon).toBe(lifetime_epsilon ?? Infinity);
    }
  });

  test("have keys of their own", () => {
    expect(new Set(KNOWN.map(({ key }) => key)).size).toBe(KNOWN.length);
  });

  test("logarithms are rounded up to the same float", () => {
    for (const [top, bottom, exponent, log] of LOGARITHMS) {
      const base = { top: BigInt(top), bottom: BigInt(bottom) };
      expect(logUp({ base, exponent })).toBe(log);
    }
  });

  test("rules are read; false ones leave no trace in the key", () => {
    const tea = fields("grr");
    const windows = { start: 5, seconds: 10 };
    const ruled = read({ ...tea, windows, keeps_reports: true, invited: true });
    expect(ruled.windows).toEqual(windows);
    expect([ruled.keepsReports, ruled.invited]).toEqual([true, true]);
    const plain = read({ ...tea, windows: null, keeps_reports: false, invited: false });
    expect(plain.key).toBe(read(tea).key);
    expect(plain.windows).toBeNull();
    expect(plain.key).not.toBe(ruled.key);
  });
});

/** The next float below. */
function justBelow(number: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}

describe("refused", () => {
  test("another collection than was agreed to", () => {
    const [tea, other] = KNOWN as [Known, Known];
    expect(() => Collection.readPinned(utf8(tea.document), other.key)).toThrow(
      /^this is the collection [0-9a-f]{12}…, not [0-9a-f]{12}…, which was agreed to$/,
    );
    const changed = { ...fields("grr"), question: "Which tea do you steal?" };
    expect(() => Collection.readPinned(utf8(JSON.stringify(changed)), tea.key)).toThrow(
      InvalidDocument,
    );
  });

  test.each(KNOWN.filter(({ epsilon }) => epsilon))("less ε than is spent %#", (known) => {
    const document = JSON.parse(known.document) as Fields;
    const less = justBelow(known.epsilon as number);
    expect(() => read({ ...document, epsilon: less })).toThrow(/states ε = /);
    expect(read({ ...document, epsilon: 100 }).epsilon).toBe(known.epsilon);
    if (known.lifetime_epsilon) {
      const lasting = justBelow(known.lifetime_epsilon);
      expect(() => read({ ...document, lifetime_epsilon: lasting })).toThrow(/a lifetime ε = /);
    } else {
      expect(() => read({ ...document, lifetime_epsilon: 100 })).toThrow(/give Infinity/);
    }
  });

  const tea = fields("grr");
  const without = (name: string): Fields =>
    Object.fromEntries(Object.entries(tea).filter(([field]) => field !== name));

  test.each(Object.keys(tea))("no %s", (name) => {
    expect(() => read(without(name))).toThrow(InvalidDocument);
  });

  test.each<[string, unknown]>([
    ["sudare", "aggregate"],
    ["format", 2],
    ["format", "1"],
    ["name", ""],
    ["name", 5],
    ["name", "\ud800"],
    ["question", null],
    ["answers", "green"],
    ["answers", ["green", "black"]],
    ["answers", ["green", "black", "green"]],
    ["answers", ["green", "black", ""]],
    ["answers", ["green", "black", 3]],
    ["mechanism", "grr"],
    ["mechanism", []],
    ["minimum_reports", 0],
    ["minimum_reports", 1.5],
    ["minimum_reports", 2 ** 53],
    ["minimum_reports", "5"],
    ["epsilon", "1"],
    ["epsilon", null],
    ["lifetime_epsilon", "1"],
    ["windows", {}],
    ["windows", { start: 0, seconds: 0 }],
    ["windows", { start: -1, seconds: 1 }],
    ["windows", { start: 0, seconds: 1, end: 5 }],
    ["keeps_reports", 1],
    ["invited", null],
    ["extra", 1],
  ])("%s = %j", (name, value) => {
    expect(() => read({ ...tea, [name]: value })).toThrow(InvalidDocument);
  });

  const study = fields("split");
  const [first, second] = study["parts"] as [Fields, Fields];

  test.each<[unknown]>([
    ["tea"],
    [null],
    [[]],
    [[first]],
    [[first, first]],
    [[second, first]],
    [[first, { ...second, more: 1 }]],
    [[first, { name: "town", question: "Where?" }]],
    [[first, { ...second, name: "" }]],
    [[first, { ...second, name: 5 }]],
    [[first, { ...second, question: "" }]],
    [[first, { ...second, answers: ["Tokyo", "Tokyo"] }]],
    [[first, { ...second, answers: ["Tokyo", ""] }]],
    [[first, { ...second, answers: "Tokyo" }]],
    [[first, { ...second, name: first["name"] }]],
  ])("questions %j", (parts) => {
    expect(() => read({ ...study, parts })).toThrow(InvalidDocument);
  });

  test("questions of a collection that asks one", () => {
    expect(() => read({ ...tea, parts: [first, second] })).toThrow(/answers to one question/);
    expect(read({ ...tea, parts: [] }).key).toBe(read(tea).key);
    expect(() => read({ ...study, answers: ["green"] })).toThrow(InvalidDocument);
  });

  test.each<[string, Fields]>([
    ["sample", { parts: [] }],
    ["sample", { parts: null }],
    ["split", { parts: [{ name: "grr", k: 3, keep: "1/2" }] }],
    ["split", { parts: [{ name: "grr", k: 3, keep: "1/2" }, "grr"] }],
    [
      "split",
      {
        parts: [
          { name: "grr", k: 3, keep: "1/2" },
          { k: 2, keep: "3/4" },
        ],
      },
    ],
    [
      "split",
      {
        parts: [
          { name: "grr", k: 3, keep: "1/2" },
          { name: "glance", keep: "3/4" },
        ],
      },
    ],
    ["split", { shape: [3, 2] }],
    ["joint", { shape: [2, 2] }],
    ["joint", { shape: [6] }],
    ["joint", { shape: "3, 2" }],
    ["joint", { shape: [3, 1, 2] }],
    ["joint", { table: { name: "hadamard", k: 6, keep: "3/4" } }],
    ["joint", { table: { name: "set", k: 6, most: 1, size: 1, keep: "3/4" } }],
    ["grr", { keep: "1/3" }],
    ["grr", { keep: "1" }],
    ["grr", { keep: 0.75 }],
    ["grr", { keep: "6/8" }],
    ["grr", { keep: "0.75" }],
    ["grr", { keep: "5/6" }],
    ["grr", { keep: "3/4 " }],
    ["grr", { keep: "03/4" }],
    ["grr", { keep: "5/4" }],
    ["grr", { keep: "1/18014398509481984" }],
    ["grr", { k: 1 }],
    ["grr", { k: "3" }],
    ["grr", { extra: 1 }],
    ["grr", { name: "geometry" }],
    ["grr", { name: "toString" }],
    ["projective", { prime: 4 }],
    ["projective", { prime: 2 }],
    ["projective", { prime: 2 ** 26 }],
    ["projective", { dimension: 3 }],
    ["projective", { keep: "1/4" }],
    ["projective", { keep: "1" }],
    ["projective", { k: 2 ** 27, prime: 2, dimension: 27 }],
    ["olh", { prime: 4 }],
    ["olh", { dimension: 3 }],
    ["olh", { keep: "1/3" }],
    ["olh", { k: 2 ** 26, prime: 2, dimension: 26 }],
    ["loloha", { prime: 4 }],
    ["loloha", { dimension: 3 }],
    ["loloha", { lasting: "1/4" }],
    ["loloha", { fresh: "1" }],
    ["loloha", { keep: "1/2" }],
    ["hadamard", { keep: "1/2" }],
    ["hadamard", { keep: "1" }],
    ["hadamard", { k: 2 ** 26 }],
    ["hadamard", { prime: 3 }],
    ["subset", { keep: "1/4" }],
    ["subset", { keep: "1" }],
    ["subset", { size: 0 }],
    ["subset", { size: 3 }],
    ["subset", { prime: 3 }],
    ["oue", { p: "3/4" }],
    ["oue", { q: "1/2" }],
    ["oue", { q: "0" }],
    ["sue", { p: "3/4" }],
    ["rappor", { bits: 100 }],
    ["rappor", { hashes: 128 }],
    ["rappor", { cohorts: 0 }],
    ["rappor", { cohorts: 65536 }],
    ["rappor", { f: "1" }],
    ["rappor", { f: "1/9007199254740992" }],
    ["rappor", { f: "0", p: "0" }],
    ["rappor", { f: "0", q: "1" }],
    ["rappor", { p: "1" }],
    ["glance", { keep: "1/2" }],
    ["glance", { keep: "1" }],
    ["glance", { rounds: 0 }],
    ["glance", { rounds: 2 ** 20 + 1 }],
    ["harmony", { keep: "1/2" }],
    ["borappor", { rounds: 10_001 }],
    ["kshot", { shots: 0 }],
    ["kshot", { shots: 7 }],
    ["kshot", { rounds: 20, shots: 17 }],
    ["kshot", { flips: 2 }],
    ["kshot", { flips: -1 }],
    ["kshot", { few: "1" }],
    ["kshot", { few: "1/4" }],
    ["kshot", { shots: 3, flips: 2, few: "7/8" }],
    ["kshot", { few: "3/4", keep: "3/4" }],
  ])("a mechanism %s with %j", (name, changed) => {
    const document = fields(name);
    const mechanism = { ...document.mechanism, ...changed };
    expect(read({ ...document, epsilon: 1000, lifetime_epsilon: null }).name).toBeTruthy();
    expect(() => read({ ...document, mechanism, epsilon: 1000, lifetime_epsilon: null })).toThrow(
      InvalidDocument,
    );
  });

  test("states that are named by the other's number, and rounds that no second begins", () => {
    const online = fields("glance");
    expect(() => read({ ...online, answers: ["1", "on"] })).toThrow(/number of the other state/);
    expect(() => read({ ...online, answers: ["off", "0"] })).toThrow(/number of the other state/);
    expect(() => read({ ...online, windows: { start: 0, seconds: 7 } })).toThrow(/got 7 seconds/);
  });

  test("invitations to who sends several reports", () => {
    expect(read({ ...fields("glance"), invited: true }).invited).toBe(true);
    expect(() => read({ ...fields("kshot"), invited: true })).toThrow(/here a person sends 2$/);
  });

  test.each(["", "{", "[]", "5", "null", '\ufeff{"sudare":"collection"}'])("%j", (document) => {
    expect(() => Collection.read(utf8(document))).toThrow(InvalidDocument);
  });

  test("bytes that are no UTF-8", () => {
    const bytes = utf8((KNOWN[0] as Known).document);
    bytes[bytes.indexOf("g".charCodeAt(0))] = 0xff;
    expect(() => Collection.read(bytes)).toThrow(/it is not JSON$/);
  });

  test("unknown answers, which no error repeats", () => {
    const untold = "Zanzibar rooibos";
    const refusal = caught(() => read(tea).encode(untold));
    expect(refusal).toBeInstanceOf(InvalidAnswer);
    expect(String(refusal)).not.toContain("Zanzibar");
    const words = read(fields("rappor"));
    for (const text of ["", "\udc00", "x".repeat(10_001), "é".repeat(5_001)]) {
      const message = String(caught(() => words.encode(text)));
      expect(message).toMatch(/^InvalidAnswer: the answer is not a text of 1 to 10000 bytes/);
    }
    expect(words.encode("cafe\u0301")).toEqual(words.encode("caf\u00e9"));
  });
});

function caught(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
