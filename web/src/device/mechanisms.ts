/** The mechanisms that a browser speaks, by the name that documents give them. */

import { Borappor } from "./borappor";
import type { Continual } from "./continual";
import { InvalidDocument } from "./errors";
import { Glance } from "./glance";
import { Grr } from "./grr";
import { Harmony } from "./harmony";
import { KShot } from "./kshot";
import { Loloha } from "./loloha";
import type { Memoised } from "./memoised";
import type { Unread } from "./parameters";
import { HadamardResponse, LocalHashing, ProjectiveGeometry, type Points } from "./points";
import { Rappor } from "./rappor";
import { SetResponse } from "./set_response";
import { JointQuestions, SampledQuestions, SplitQuestions } from "./several";
import { SubsetSelection } from "./subset";
import { Unary } from "./unary";
import { SquareWave } from "./wave";
import { Window } from "./window";

/** A mechanism for one question. */
export type Single =
  Grr | Unary | SubsetSelection | SetResponse | Window | SquareWave | Points | Rappor | Continual;

/** One for one answer of a list: a part of several questions. */
export type Categorical = Exclude<Extract<Single, { readonly k: number }>, SetResponse>;

export type Mechanism = Single | SampledQuestions | SplitQuestions | JointQuestions;

const READERS: ReadonlyMap<unknown, (document: Unread) => Mechanism> = new Map<
  unknown,
  (document: Unread) => Mechanism
>([
  ["grr", (document) => Grr.read(document)],
  ["oue", (document) => Unary.readOue(document)],
  ["sue", (document) => Unary.readSue(document)],
  ["subset", (document) => SubsetSelection.read(document)],
  ["set", (document) => SetResponse.read(document)],
  ["window", (document) => Window.read(document)],
  ["wave", (document) => SquareWave.read(document)],
  ["sample", (document) => SampledQuestions.read(document, readPart)],
  ["split", (document) => SplitQuestions.read(document, readPart)],
  ["joint", (document) => JointQuestions.read(document, readPart)],
  ["projective", (document) => ProjectiveGeometry.read(document)],
  ["hadamard", (document) => HadamardResponse.read(document)],
  ["olh", (document) => LocalHashing.read(document)],
  ["loloha", (document) => Loloha.read(document)],
  ["rappor", (document) => Rappor.read(document)],
  ["glance", (document) => new Glance(document)],
  ["harmony", (document) => new Harmony(document)],
  ["borappor", (document) => new Borappor(document)],
  ["kshot", (document) => KShot.read(document)],
]);

/** A mechanism whose noise a device keeps, if this is one. */
export function memoised(mechanism: Mechanism): (Mechanism & Memoised<unknown>) | null {
  return mechanism instanceof Rappor || mechanism instanceof Loloha
    ? (mechanism as Mechanism & Memoised<unknown>)
    : null;
}

/** The mechanism that a document describes. */
export function readMechanism(document: Unread): Mechanism {
  const read = READERS.get(document["name"]);
  if (!read) {
    const names = [...READERS.keys()].join(", ");
    const name = document["name"];
    throw new InvalidDocument(
      `in a browser the mechanism must be one of ${names}`,
      typeof name === "string" && /^[a-z]{1,20}$/.test(name) ? name : null,
    );
  }
  return read(document);
}

/** The mechanism for one answer of a list that a document within a document describes. */
function readPart(document: unknown): Categorical {
  if (typeof document === "object" && document !== null && !Array.isArray(document)) {
    const made = readMechanism(document as Unread);
    if ("k" in made && !(made instanceof SetResponse)) return made;
  }
  throw new InvalidDocument("each of several questions has a mechanism for one answer of a list");
}
