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

/** The last report of a collection, as it was sent. The answer itself is kept nowhere. */
export interface Sent {
  readonly window: number;
  /** Over time: the round, counted from 1 over all windows. */
  readonly number: number | null;
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
      return this.sent(key) === null || isSent(this.sent(key));
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
    const kept = this.#keeper.getItem(nameOf(key));
    return kept === null ? null : (JSON.parse(kept) as Sent);
  }

  /** Note that a report needs no further sending. */
  settle(key: string, sent: Sent): void {
    if (this.sent(key)?.id === sent.id) this.#keep(key, { ...sent, settled: true });
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
    const { id, record } = report;
    return this.#keep(collection.key, {
      window,
      number,
      id: bytesToHex(id),
      record: bytesToHex(record),
      settled: false,
    });
  }

  get #device(): Device {
    const known = this.#keeper.getItem(SECRET);
    const secret = known === null ? Device.newSecret() : hexToBytes(known);
    if (known === null) this.#keeper.setItem(SECRET, bytesToHex(secret));
    return new Device(secret, this.#diary);
  }

  #keep(key: string, sent: Sent): Sent {
    this.#keeper.setItem(nameOf(key), JSON.stringify(sent));
    return sent;
  }
}

const SECRET = "sudare secret";

function isSent(kept: unknown): kept is Sent {
  if (typeof kept !== "object" || kept === null) return false;
  const { window, number, id, record, settled } = kept as Partial<Record<keyof Sent, unknown>>;
  const isHex = (text: unknown): boolean => typeof text === "string" && /^[0-9a-f]+$/.test(text);
  const isNumber = number === null || Number.isSafeInteger(number);
  return (
    Number.isSafeInteger(window) &&
    isNumber &&
    isHex(id) &&
    isHex(record) &&
    typeof settled === "boolean"
  );
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
