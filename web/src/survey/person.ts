/** The person at this browser: their device, their ledger, and what they have sent. */

import type { Kept } from "../collector/deliver";
import {
  Device,
  Diary,
  Refused,
  type Answer,
  type Collection,
  type Keeper,
  type Ledger,
  type Moment,
} from "../device";
import { bytesToHex } from "@noble/hashes/utils.js";
import { hasSecret, openSecret, type KeyStore } from "./secret";

/** What became of a report that needs no further sending. Doubtful: refused, but maybe counted before. */
export type Fate = "counted" | "late" | "refused" | "doubtful";

/** A report of a collection, as it was sent. The answer itself is kept nowhere. */
export interface Sent extends Kept {
  /** Whether the collector has it, or never will; until then it is sent again. */
  readonly settled: boolean;
  /** What became of it, once it is settled; pages of before didn't note it. */
  readonly fate?: Fate;
}

/** The question was answered in this window; nothing was sent. */
export class Answered extends Refused {
  override readonly name = "Answered";
}

/** Everything that a page keeps about its person, in one place that is not forgotten. */
export class Person {
  readonly #keeper: Keeper;
  readonly #keys: KeyStore | null;

  constructor(keeper: Keeper, keys: KeyStore | null = null) {
    this.#keeper = keeper;
    this.#keys = keys;
  }

  /**
   * Whether what was kept about a collection can be read; something else may have changed it. A
   * secret that was kept as text becomes a key. To be called under a lock that all tabs share.
   */
  async isSound(key: string): Promise<boolean> {
    try {
      this.#diary.nextWindow(key); // reads the ledger, too
      if (!this.#kept(key).every(isSent)) return false;
    } catch {
      return false;
    }
    try {
      if (hasSecret(this.#keeper)) await openSecret(this.#keeper, this.#keys);
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error; // the browser can't reach its keys now: nothing was changed
    }
    return true;
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

  /** Note what became of the report of an id; null if none of that id is kept any more. */
  settle(key: string, id: string, fate: Fate): Sent | null {
    const kept = this.#kept(key).map((sent) =>
      sent.id === id ? { ...sent, settled: true, fate } : sent,
    );
    this.#keep(key, kept);
    return kept.find((sent) => sent.id === id) ?? null;
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
  async answer(collection: Collection, moment: Moment, answer: Answer): Promise<Sent | null> {
    if (this.hasAnswered(collection, moment)) {
      throw new Answered(`“${collection.name}” was answered already (nothing was sent)`);
    }
    const { window, number } = moment;
    const device = new Device(await openSecret(this.#keeper, this.#keys), this.#diary);
    const report =
      number === null
        ? await device.report(collection, answer, { window })
        : await device.observe(collection, number, answer as string);
    if (report === null) return null;
    const [id, record] = [bytesToHex(report.id), bytesToHex(report.record)];
    const sent = { window, id, record, settled: false };
    this.#keep(collection.key, [...this.#kept(collection.key), sent]);
    return sent;
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

const FATES: readonly unknown[] = ["counted", "late", "refused", "doubtful", undefined];

function isSent({
  window,
  id,
  record,
  settled,
  fate,
}: Partial<Record<keyof Sent, unknown>>): boolean {
  if (!FATES.includes(fate)) return false;
  const isHex = (text: unknown): boolean => typeof text === "string" && /^[0-9a-f]+$/.test(text);
  return Number.isSafeInteger(window) && isHex(id) && isHex(record) && typeof settled === "boolean";
}

function nameOf(key: string): string {
  return `sudare sent ${key}`;
}

let last: Promise<unknown> = Promise.resolve(); // of what this page does alone

/**
 * Do something that no other tab does at the same time, nor this one.
 *
 * Browsers have locks only on pages that came over HTTPS or from this machine. Elsewhere two tabs
 * that answer in the same instant aren't kept apart.
 */
export function alone<T>(work: () => T | Promise<T>): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  const next = locks ? locks.request("sudare person", async () => work()) : last.then(work);
  last = next.catch(() => undefined);
  return next;
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
