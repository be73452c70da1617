/**
 * A person's device: it turns an answer into a report, and repeats itself where it must.
 *
 * What a mechanism draws once and for all is derived from the device's secret, as in Python
 * (docs/reference/hashing.md): the same secret keeps the same cohort, permanent bits and rounds.
 */

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";

import type { Collection } from "./collection";
import { Diary, Memory } from "./diary";
import { InvalidAnswer, Refused } from "./errors";
import { Glance, type Plan } from "./glance";
import { quotient, wholeFrom } from "./integers";
import type { Ledger } from "./ledger";
import type { Mechanism } from "./mechanisms";
import { Rappor } from "./rappor";
import { digestBytes, type Digest } from "./strings";
import { answeredWindow, checkObserved } from "./windows";
import { DerivedWords, SystemWords, type Words } from "./words";

export const SECRET_BYTES = 32;
const ID_BYTES = 16;

/** What leaves a device. */
export interface Report {
  /** 16 bytes that name this report and nothing else: sent again, it is counted once. */
  readonly id: Uint8Array;
  readonly record: Uint8Array;
}

/** What leaves a device over time: the record names the round within its window, from 1. */
export interface RoundReport extends Report {
  readonly window: number;
}

/** Where an answer belongs, and what its noise is drawn from. */
export interface ReportOptions {
  /** The window that is answered; unless given, the one that is open by the clock. */
  readonly window?: number;
  /** The system's randomness unless given, for the part that is drawn anew each time. */
  readonly fresh?: Words;
}

/** Somebody's device, known by a secret that never leaves it. */
export class Device {
  readonly #secret: Uint8Array;
  readonly #diary: Diary;

  /** A device of a secret of 32 random bytes. The diary must be kept as long as the secret. */
  constructor(secret: Uint8Array, diary: Diary = new Diary(new Memory())) {
    if (secret.length !== SECRET_BYTES) {
      throw new Refused(`a device's secret is ${SECRET_BYTES} bytes, got ${secret.length}`);
    }
    this.#secret = Uint8Array.from(secret);
    this.#diary = diary;
  }

  /** A fresh secret from the system, to be kept for the device's life. */
  static newSecret(): Uint8Array {
    return crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  }

  /**
   * One report of an answer, a label of the collection or free text: paid for before it is made.
   *
   * What the ledger's cap leaves no room for is refused (`BudgetExceeded`). Each window of a
   * collection is answered once, in order (`RoundPassed`).
   */
  report(collection: Collection, answer: string, { window, fresh }: ReportOptions = {}): Report {
    const { mechanism, key } = collection;
    if (mechanism instanceof Glance) {
      throw new Refused(`“${collection.name}” is observed over time: use observe`);
    }
    const number = answeredWindow(collection, window);
    const value = collection.encode(answer);
    this.#diary.noteAnswer(key, number, (ledger) => this.#pay(collection, value, number, ledger));
    const record = this.#record(collection, mechanism, value, fresh ?? new SystemWords());
    return { id: crypto.getRandomValues(new Uint8Array(ID_BYTES)), record };
  }

  /**
   * The ledger after one more report. Where noise is kept, the reports of one value are paid for
   * together: the ledger knows them by a digest, which without the secret says nothing of the value.
   */
  #pay(
    collection: Collection,
    value: number | Digest,
    window: number | null,
    ledger: Ledger,
  ): Ledger {
    const { mechanism, key } = collection;
    if (!(mechanism instanceof Rappor)) return ledger.charge(key, collection.epsilon, window);
    const known = bytesToHex(this.#digest(collection, "ledger", bytesOf(value)).slice(0, ID_BYTES));
    const reports = ledger.reportsOf(key, known) + 1;
    return ledger.keep(key, known, reports, mechanism.epsilonOf(reports));
  }

  #record(
    collection: Collection,
    mechanism: Exclude<Mechanism, Glance>,
    value: number | Digest,
    fresh: Words,
  ): Uint8Array {
    if (mechanism instanceof Rappor) {
      const { cohorts, kept } = this.permanent(collection, mechanism, value);
      return mechanism.instant(kept, cohorts, fresh);
    }
    return mechanism.randomize([value as number], fresh);
  }

  /** The device's cohort and what it keeps of an answer: never to leave it. */
  permanent(
    collection: Collection,
    mechanism: Rappor,
    value: number | Digest,
  ): { readonly cohorts: Uint32Array; readonly kept: BigUint64Array } {
    const cohorts = mechanism.assign(1, this.#derived(collection, "assign", new Uint8Array()));
    const words = this.#derived(collection, "permanent", bytesOf(value));
    return { cohorts, kept: mechanism.permanent([value], cohorts, words) };
  }

  /**
   * The report of a state in a round, counted from 1 over all windows; null in other rounds. Its
   * window is paid for when something in it is first observed.
   */
  observe(collection: Collection, number: number, state: string | number): RoundReport | null {
    const mechanism = overTime(collection);
    checkObserved(collection, number);
    const held = heldState(collection, state);
    const window = quotient(number - 1, mechanism.rounds);
    this.#diary.note(collection.key, number, collection.epsilon, window);
    const plan = this.plan(collection, window);
    if (plan.round !== ((number - 1) % mechanism.rounds) + 1) return null;
    const record = mechanism.report(plan, held);
    return { id: this.reportId(collection, number), record, window };
  }

  /** What the device has drawn in advance for a window, from 0: never to leave it. */
  plan(collection: Collection, window: number): Plan {
    const mechanism = overTime(collection);
    wholeFrom(0, window, "window");
    const [plan] = mechanism.draw(1, this.#derived(collection, "stream", highestFirst(window)));
    return plan as Plan;
  }

  /** The id of the report of a round, counted from 1 over all windows. */
  reportId(collection: Collection, number: number): Uint8Array {
    wholeFrom(1, number, "round");
    return this.#digest(collection, "report", highestFirst(number)).slice(0, ID_BYTES);
  }

  #derived(collection: Collection, purpose: string, value: Uint8Array): Words {
    return new DerivedWords(this.#digest(collection, purpose, value));
  }

  /** HMAC-SHA-256(secret, key ‖ purpose ‖ 0 ‖ value). */
  #digest(collection: Collection, purpose: string, value: Uint8Array): Uint8Array {
    const label = new TextEncoder().encode(`${purpose}\0`);
    return hmac(sha256, this.#secret, concatBytes(hexToBytes(collection.key), label, value));
  }
}

function overTime(collection: Collection): Glance {
  if (!(collection.mechanism instanceof Glance)) {
    throw new Refused(`“${collection.name}” asks for one answer: it has no rounds`);
  }
  return collection.mechanism;
}

/** The state as 0 or 1, told by its label, its number or that as a text; an error never says it. */
function heldState({ name, answers }: Collection, state: string | number): 0 | 1 {
  for (const held of [0, 1] as const) {
    if (state === held || state === `${held}` || state === answers[held]) return held;
  }
  throw new InvalidAnswer(
    `a state of “${name}” is 0 or 1, or one of its two labels, got something else ` +
      `(nothing was sent)`,
  );
}

function bytesOf(value: number | Digest): Uint8Array {
  return typeof value === "number" ? highestFirst(value).reverse() : digestBytes(value);
}

function highestFirst(number: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}
