/**
 * A person's device: it turns an answer into a report, and repeats itself where it must.
 *
 * What a mechanism draws once and for all is derived from the device's secret, as in Python
 * (docs/reference/hashing.md): the same secret keeps the same cohort, permanent bits and rounds.
 */

import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";

import type { Answer, Collection } from "./collection";
import { Continual, type Plan } from "./continual";
import { Diary, Memory } from "./diary";
import { InvalidAnswer, Refused } from "./errors";
import { quotient, wholeFrom } from "./integers";
import type { Ledger } from "./ledger";
import { memoised } from "./mechanisms";
import type { Memoised } from "./memoised";
import type { Secret } from "./secret";
import { SetResponse, type Selected } from "./set_response";
import { SeveralQuestions, type Row } from "./several";
import { digestBytes, type Digest } from "./strings";
import { answeredWindow, checkObserved } from "./windows";
import { DerivedWords, SystemWords, type Words } from "./words";

const ID_BYTES = 16;
const NOTHING: Uint8Array = new Uint8Array();

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

/** What a device keeps of an answer where noise is kept: never to leave it. */
export interface Permanent<Kept> {
  /** Drawn once for good, whatever the answer: a cohort, or a seed. */
  readonly assigned: Uint32Array;
  readonly kept: Kept;
}

/**
 * Somebody's device, known by a secret that never leaves it.
 *
 * The secret is asked first, and waited for. From the diary's first word to its last nothing is: what
 * it says of a window or a round stays true until the report is made.
 */
export class Device {
  readonly #secret: Secret;
  readonly #diary: Diary;

  /** A device of a secret. The diary must be kept as long as the secret. */
  constructor(secret: Secret, diary: Diary = new Diary(new Memory())) {
    this.#secret = secret;
    this.#diary = diary;
  }

  /**
   * One report of an answer, paid for before it is made: a label of the collection or free text; a
   * list of labels where several may be selected, or several questions are asked.
   *
   * What the ledger's cap leaves no room for is refused (`BudgetExceeded`). Each window of a
   * collection is answered once, in order (`RoundPassed`).
   */
  async report(
    collection: Collection,
    answer: Answer,
    { window, fresh = new SystemWords() }: ReportOptions = {},
  ): Promise<Report> {
    const { mechanism, key, epsilon } = collection;
    if (mechanism instanceof Continual) {
      throw new Refused(`“${collection.name}” is observed over time: use observe`);
    }
    const number = answeredWindow(collection, window);
    const value = collection.encode(answer);
    const id = crypto.getRandomValues(new Uint8Array(ID_BYTES));
    const keeping = memoised(mechanism);
    if (!keeping) {
      this.#diary.noteAnswer(key, number, (ledger) => ledger.charge(key, epsilon, number));
      if (mechanism instanceof SetResponse) {
        return { id, record: mechanism.randomize([value as Selected], fresh) };
      }
      if (mechanism instanceof SeveralQuestions) {
        return { id, record: mechanism.randomize([value as Row], fresh) };
      }
      return { id, record: mechanism.randomize([value as number], fresh) };
    }
    const held = value as number | Digest;
    const about = await this.#remembered(collection, keeping, held);
    const known = await this.#digest(collection, "ledger", about);
    const { assigned, kept } = await this.permanent(collection, keeping, held);
    this.#diary.noteAnswer(key, number, (ledger) => paid(collection, keeping, known, ledger));
    return { id, record: keeping.instant(kept, assigned, fresh) };
  }

  /** What the device was assigned and what it keeps of an answer: never to leave it. */
  async permanent<Kept>(
    collection: Collection,
    mechanism: Memoised<Kept>,
    value: number | Digest,
  ): Promise<Permanent<Kept>> {
    const assigned = mechanism.assign(1, await this.#derived(collection, "assign"));
    const about = await this.#remembered(collection, mechanism, value);
    const words = await this.#derived(collection, "permanent", about);
    return { assigned, kept: mechanism.permanent([value], assigned, words) };
  }

  /** What of an answer noise is kept for, as bytes. */
  async #remembered(
    collection: Collection,
    mechanism: Memoised<unknown>,
    value: number | Digest,
  ): Promise<Uint8Array> {
    const [assigned] = mechanism.assign(1, await this.#derived(collection, "assign"));
    return bytesOf(mechanism.remembered(value, assigned as number));
  }

  /**
   * The report of a state in a round, counted from 1 over all windows; null in other rounds. Its
   * window is paid for when something in it is first observed.
   */
  async observe(
    collection: Collection,
    number: number,
    state: string | number,
  ): Promise<RoundReport | null> {
    const mechanism = overTime(collection);
    checkObserved(collection, number);
    const held = heldState(collection, state);
    const window = quotient(number - 1, mechanism.rounds);
    const plan = await this.plan(collection, window);
    const id = await this.reportId(collection, number);
    this.#diary.note(collection.key, number, collection.epsilon, window);
    const at = plan.rounds.indexOf(((number - 1) % mechanism.rounds) + 1);
    return at < 0 ? null : { id, record: mechanism.report(plan, at, held), window };
  }

  /** What the device has drawn in advance for a window, from 0: never to leave it. */
  async plan(collection: Collection, window: number): Promise<Plan> {
    const mechanism = overTime(collection);
    wholeFrom(0, window, "window");
    const words = await this.#derived(collection, "stream", highestFirst(window));
    const [plan] = mechanism.draw(1, words);
    return plan as Plan;
  }

  /** The id of the report of a round, counted from 1 over all windows. */
  async reportId(collection: Collection, number: number): Promise<Uint8Array> {
    wholeFrom(1, number, "round");
    const digest = await this.#digest(collection, "report", highestFirst(number));
    return digest.slice(0, ID_BYTES);
  }

  async #derived(collection: Collection, purpose: string, value = NOTHING): Promise<Words> {
    return new DerivedWords(await this.#digest(collection, purpose, value));
  }

  /** HMAC-SHA-256(secret, key ‖ purpose ‖ 0 ‖ value). */
  #digest(collection: Collection, purpose: string, value: Uint8Array): Promise<Uint8Array> {
    const label = new TextEncoder().encode(`${purpose}\0`);
    return this.#secret.digest(concatBytes(hexToBytes(collection.key), label, value));
  }
}

/**
 * The ledger after one more report where noise is kept. The reports that rest on it are paid for
 * together. The ledger knows what it is kept for, the value or what values share, by a digest, which
 * without the secret says nothing of it.
 */
function paid(
  { key }: Collection,
  mechanism: Memoised<unknown>,
  digest: Uint8Array,
  ledger: Ledger,
): Ledger {
  const known = bytesToHex(digest.slice(0, ID_BYTES));
  const reports = ledger.reportsOf(key, known) + 1;
  return ledger.keep(key, known, reports, mechanism.epsilonOf(reports));
}

function overTime(collection: Collection): Continual {
  if (!(collection.mechanism instanceof Continual)) {
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
