/** The mechanisms that a browser speaks, by the name that documents give them. */

import { Borappor } from "./borappor";
import type { Continual } from "./continual";
import { InvalidDocument } from "./errors";
import { Glance } from "./glance";
import { Grr } from "./grr";
import { Harmony } from "./harmony";
import { KShot } from "./kshot";
import type { Unread } from "./parameters";
import { HadamardResponse, ProjectiveGeometry, type Points } from "./points";
import { Rappor } from "./rappor";
import { SetResponse } from "./set_response";
import { Unary } from "./unary";
import { SquareWave } from "./wave";
import { Window } from "./window";

export type Mechanism =
  Grr | Unary | SetResponse | Window | SquareWave | Points | Rappor | Continual;

const READERS: ReadonlyMap<unknown, (document: Unread) => Mechanism> = new Map<
  unknown,
  (document: Unread) => Mechanism
>([
  ["grr", (document) => Grr.read(document)],
  ["oue", (document) => Unary.readOue(document)],
  ["sue", (document) => Unary.readSue(document)],
  ["set", (document) => SetResponse.read(document)],
  ["window", (document) => Window.read(document)],
  ["wave", (document) => SquareWave.read(document)],
  ["projective", (document) => ProjectiveGeometry.read(document)],
  ["hadamard", (document) => HadamardResponse.read(document)],
  ["rappor", (document) => Rappor.read(document)],
  ["glance", (document) => new Glance(document)],
  ["harmony", (document) => new Harmony(document)],
  ["borappor", (document) => new Borappor(document)],
  ["kshot", (document) => KShot.read(document)],
]);

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
