/** Windows and rounds as times of day, by the reader's own clock, language and zone. */

import type { Windows } from "../device";
import { localTag, whole } from "../language";
import { roundsShown } from "./course";
import type { Words } from "./language";

/** A place on an axis, and what is written there. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** What runs along a drawing: rounds or windows, as numbers or as times. */
export interface Axis {
  readonly title: string;
  /** A round or a window in words. */
  name(at: number): string;
  ticks(first: number, last: number, width: number): readonly Tick[];
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [1, 2, 5, 10, 15, 30]
  .flatMap((step) => [step, step * MINUTE])
  .concat([1, 2, 3, 6, 12].map((step) => step * HOUR))
  .concat([1, 2, 7, 14, 28, 56, 112, 364].map((step) => step * DAY))
  .sort((a, b) => a - b);
const ROOM = 90; // pixels for what is written at a tick

/** When a collection's windows and rounds are; by their numbers where it has no schedule. */
export class Calendar {
  readonly #tag: string;

  constructor(
    readonly words: Words,
    readonly schedule: Windows | null,
    readonly rounds: number | null,
  ) {
    this.#tag = localTag(words.locale, navigator.languages);
  }

  /** A window in words. */
  window(window: number): string {
    if (!this.schedule) return this.words.windowNumber(window);
    const { start, seconds } = this.schedule;
    return spanText(this.#tag, start + window * seconds, start + (window + 1) * seconds);
  }

  /** The window of an estimate in words; nothing where there is only one. */
  of(window: number | "all"): string {
    if (window === "all") return this.words.all;
    return this.schedule ? this.window(window) : "";
  }

  /** By which clock the times are; null where there are none. */
  get zone(): string | null {
    return this.schedule && this.words.zone(zoneName(this.#tag));
  }

  /** The moment at which something was looked at. */
  moment(now: number): string {
    const format = { dateStyle: "medium", timeStyle: "long" } as const;
    return new Intl.DateTimeFormat(this.#tag, format).format(now);
  }

  /** The axis of windows. */
  get windowAxis(): Axis {
    const { schedule } = this;
    return {
      title: schedule ? "" : this.words.window,
      name: (at) => this.window(at),
      ticks: (first, last, width) =>
        schedule
          ? timeTicks(this.#tag, first, last, width, schedule.start, schedule.seconds)
          : numberTicks(this.words, first, last, width),
    };
  }

  /** The axis of rounds, if so many came before the first of them. */
  roundAxis(before: number): Axis {
    const { schedule, rounds, words } = this;
    if (!schedule || !rounds) {
      return {
        title: words.roundTitle,
        name: (at) => words.roundNumber(whole(words, at)),
        ticks: (first, last, width) => numberTicks(words, first, last, width),
      };
    }
    const each = schedule.seconds / rounds;
    const start = schedule.start + (before - 1) * each; // rounds are counted from 1
    return {
      title: "",
      name: (at) => spanText(this.#tag, start + at * each, start + (at + 1) * each),
      ticks: (first, last, width) => timeTicks(this.#tag, first, last, width, start, each),
    };
  }
}

/** From one moment (Unix time) to another; only days where both are midnight. */
export function spanText(tag: string, from: number, to: number): string {
  if (localSeconds(from) % DAY === 0 && localSeconds(to) % DAY === 0) {
    const format = new Intl.DateTimeFormat(tag, { dateStyle: "medium" });
    return format.formatRange(from * 1000, to * 1000 - 1);
  }
  const timeStyle = from % MINUTE === 0 && to % MINUTE === 0 ? "short" : "medium";
  const format = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle });
  return format.formatRange(from * 1000, to * 1000);
}

/** The zone of the reader's clock: Europe/London. */
function zoneName(tag: string): string {
  const { timeZone } = new Intl.DateTimeFormat(tag).resolvedOptions();
  return timeZone.replaceAll("_", " ");
}

/** Seconds since 1970 as the clock on the reader's wall counts them. */
function localSeconds(moment: number): number {
  return moment - MINUTE * new Date(moment * 1000).getTimezoneOffset();
}

function numberTicks(words: Words, first: number, last: number, width: number): readonly Tick[] {
  return roundsShown(first, last, width).map((at) => ({ at, text: whole(words, at) }));
}

/**
 * Whole hours, days or such, as many as there is room for; the first of a new day says the day.
 * What is at place n begins at `start + n * each`.
 */
export function timeTicks(
  tag: string,
  first: number,
  last: number,
  width: number,
  start: number,
  each: number,
): readonly Tick[] {
  const room = Math.max(2, Math.floor(width / ROOM));
  const step = STEPS.find((step) => step >= each && ((last - first) * each) / step <= room);
  const chosen = step ?? Math.ceil(((last - first) * each) / room / DAY) * DAY;
  const day = new Intl.DateTimeFormat(tag, { day: "numeric", month: "short" });
  const timeStyle = chosen < MINUTE ? "medium" : "short";
  const time = new Intl.DateTimeFormat(tag, { timeStyle });
  const found: Tick[] = [];
  let shown = NaN; // the day of the tick before
  for (let at = first; at <= last; at++) {
    const moment = start + at * each;
    const [now, before] = [localSeconds(moment), localSeconds(moment - each)];
    if (Math.floor(now / chosen) === Math.floor(before / chosen)) continue;
    const today = Math.floor(now / DAY);
    const isNew = chosen >= DAY || (today !== shown && found.length > 0);
    found.push({ at, text: (isNew ? day : time).format(moment * 1000) });
    shown = today;
  }
  // Between two whole hours or such there may be none: then the first says when it is.
  return found.length > 0
    ? found
    : [{ at: first, text: (chosen >= DAY ? day : time).format((start + first * each) * 1000) }];
}
