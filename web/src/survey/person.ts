/** The person at this browser: their device, their ledger, and what they have sent. */

import {
  Device,
  Diary,
  Refused,
  type Collection,
  type Keeper,
  type Ledger,
  type Moment,
} from "../device";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

/** A report of a collection, as it was sent. The answer itself is kept nowhere. */
export interface Sent {
  readonly window: number;
  /** Hexadecimal, as is the record. */
  readonly id: string;
  readonly record: string;
  /** Whether the collector has it, or never will; until then it is sent again. */
  readonly settled: boolean;
}

/** The question was answered in this window; nothing was sent. */
export class Answered extends Refused {
  override readonly name = "Answered";
}

/** Everything that a page keeps about its person, in one place that is not forgotten. */
export class Person {
  readonly #keeper: Keeper;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  /** Whether what was kept about a collection can be read; something else may have changed it. */
  isSound(key: string): boolean {
    try {
      this.#diary.nextWindow(key); // reads the ledger, too
      return this.#kept(key).every(isSent);
    } catch {
      return false;
    }
  }

  get #diary(): Diary {
    return new Diary(this.#keeper);
  }

  get ledger(): Ledger {
    return this.#diary.ledger;
  }

  /** Set what may be spent in a lifetime; null for no limit. */
  setCap(cap: number | null): void {
    this.ledger.capped(cap).save(this.#keeper);
  }

  /** The last report of a collection; null if there is none. */
  sent(key: string): Sent | null {
    return this.#kept(key).at(-1) ?? null;
  }

  /** Every report of a collection that must be sent, or sent again, oldest first. */
  unsettled(key: string): readonly Sent[] {
    return this.#kept(key).filter(({ settled }) => !settled);
  }

  /** Note that the report of an id needs no further sending. */
  settle(key: string, id: string): void {
    this.#keep(
      key,
      this.#kept(key).map((sent) => (sent.id === id ? { ...sent, settled: true } : sent)),
    );
  }

  /** Whether a window was answered already or, over time, this round of it. */
  hasAnswered(collection: Collection, { window, number }: Moment): boolean {
    const { key, windows } = collection;
    if (number !== null) return this.#diary.last(key) >= number;
    return windows === null ? this.ledger.knows(key) : this.#diary.nextWindow(key) > window;
  }

  /**
   * The report of an answer, paid for and kept before anything can be sent; null in a round that
   * isn't the device's. To be called under a lock that all tabs share.
   */
  answer(collection: Collection, moment: Moment, answer: string): Sent | null {
    if (this.hasAnswered(collection, moment)) {
      throw new Answered(`“${collection.name}” was answered already (nothing was sent)`);
    }
    const { window, number } = moment;
    const report =
      number === null
        ? this.#device.report(collection, answer, { window })
        : this.#device.observe(collection, number, answer);
    if (report === null) return null;
    const [id, record] = [bytesToHex(report.id), bytesToHex(report.record)];
    const sent = { window, id, record, settled: false };
    this.#keep(collection.key, [...this.#kept(collection.key), sent]);
    return sent;
  }

  get #device(): Device {
    const known = this.#keeper.getItem(SECRET);
    const secret = known === null ? Device.newSecret() : hexToBytes(known);
    if (known === null) this.#keeper.setItem(SECRET, bytesToHex(secret));
    return new Device(secret, this.#diary);
  }

  /** What is kept of a collection's reports, oldest first. */
  #kept(key: string): readonly Sent[] {
    const kept = this.#keeper.getItem(nameOf(key));
    return kept === null ? [] : ([JSON.parse(kept)].flat() as Sent[]); // it was one, not a list
  }

  /** Keep the reports that aren't settled, and the last one, which is shown. */
  #keep(key: string, reports: readonly Sent[]): void {
    const kept = reports.filter((sent) => !sent.settled || sent === reports.at(-1));
    this.#keeper.setItem(nameOf(key), JSON.stringify(kept));
  }
}

const SECRET = "sudare secret";

function isSent({ window, id, record, settled }: Record<keyof Sent, unknown>): boolean {
  const isHex = (text: unknown): boolean => typeof text === "string" && /^[0-9a-f]+$/.test(text);
  return Number.isSafeInteger(window) && isHex(id) && isHex(record) && typeof settled === "boolean";
}

function nameOf(key: string): string {
  return `sudare sent ${key}`;
}

/**
 * Do something that no other tab does at the same time.
 *
 * Browsers have locks only on pages that came over HTTPS or from this machine. Elsewhere two tabs
 * that answer in the same instant aren't kept apart.
 */
export async function alone<T>(work: () => T): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  return locks ? await locks.request("sudare person", () => work()) : work();
}

/** The place where a page keeps its notes; null if the browser allows none. */
export function openKeeper(): Keeper | null {
  try {
    localStorage.setItem("sudare probe", "");
    localStorage.removeItem("sudare probe");
    return localStorage;
  } catch {
    return null;
  }
}
