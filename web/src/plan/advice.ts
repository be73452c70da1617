/** A plan's figures as texts, ready for the sentences of a language. */

import { whole } from "../language";
import type { Answer, Plan } from "./answer";
import type { Words } from "./language";
import { seenOf, type OutOf } from "./sense";

/** Of what an error is. */
export type Estimated = "rare" | "mean" | "bin" | "people";

/** The figures of a recommendation. */
export interface Advice {
  readonly people: string;
  readonly isOne: boolean;
  /** How many of them answer, where that is fewer. */
  readonly reports: string | null;
  readonly mechanism: string;
  /** Null where the mechanism is named by it. */
  readonly epsilon: string | null;
  /** How often each is asked, where that is more than once. */
  readonly visits: string | null;
  /** What is said of the result. */
  readonly shows: "round" | "text" | "difference" | "share" | "error";
  readonly estimated: Estimated;
  readonly share: string | null;
  readonly isCompared: boolean;
  readonly compare: string | null;
  readonly error: string;
  readonly smallest: string;
  readonly difference: string;
  readonly power: OutOf;
}

/** What is too little: people, an ε, or both. */
export interface Noise {
  readonly people: string | null;
  readonly epsilon: string | null;
}

/** A number in three digits, as the language writes it. */
export function short(words: Words, value: number, digits = 3): string {
  const format = new Intl.NumberFormat(words.locale, { maximumSignificantDigits: digits });
  return format.format(value);
}

/** A share in per cent, in three digits. */
export function percentText(words: Words, share: number): string {
  return words.percent(short(words, 100 * share));
}

/** An ε as it was given, or found in thousandths. */
export function epsilonText(words: Words, epsilon: number): string {
  return short(words, epsilon, 6);
}

/** An error, a share or a difference in the unit of a plan's result. */
export function valueText(words: Words, plan: Plan, value: number | null): string {
  if (value === null) return words.none;
  return plan.unit === "number" ? short(words, value) : percentText(words, value);
}

/** The name of a mechanism, or of what stands for one. */
export function mechanismName(words: Words, { kind }: Plan, name: string): string {
  if (kind === "questions") return words.mechanisms[name] ?? name;
  const tables = /^tables at ε = (.+)$/.exec(name);
  return tables ? words.tables(tables[1] as string) : name;
}

/** What a plan recommends, in texts. */
export function adviceOf(words: Words, plan: Plan): Advice {
  const { recommended: best, wishes } = plan;
  const text = (value: number | null): string => valueText(words, plan, value);
  return {
    people: whole(words, best.people),
    isOne: best.people === 1,
    reports: best.reports < best.people ? whole(words, best.reports) : null,
    mechanism: mechanismName(words, plan, best.mechanism),
    epsilon: plan.collection === null ? null : epsilonText(words, best.epsilon),
    visits: wishes.visits > 1 ? whole(words, wishes.visits) : null,
    shows: shownBy(plan),
    estimated: estimatedBy(plan),
    share: wishes.share > 0 ? percentText(words, wishes.share) : null,
    isCompared: wishes.compare !== null,
    compare: wishes.compare === null ? null : percentText(words, wishes.compare),
    error: text(best.error),
    smallest: text(best.smallest_share),
    difference: text(best.difference),
    power: seenOf(wishes.power),
  };
}

function shownBy({ kind, goal, wishes, recommended }: Plan): Advice["shows"] {
  if (kind === "stream") return "round";
  if (kind === "text") return "text";
  if (goal === "difference" || wishes.compare !== null) return "difference";
  return recommended.smallest_share === null ? "error" : "share";
}

function estimatedBy({ kind, unit, wishes }: Plan): Estimated {
  if (unit === "number") return "mean";
  if (kind === "joint") return "people";
  return wishes.found_out === "distribution" ? "bin" : "rare";
}

/** What somebody who follows a plan should know, each a sentence. */
export function warningsOf(words: Words, { recommended, average_share }: Plan): readonly string[] {
  const found: string[] = [];
  const { smallest_share: smallest, rough } = recommended;
  if (average_share !== null && (smallest === null || smallest > average_share)) {
    const least = smallest === null ? null : percentText(words, smallest);
    found.push(words.averageUnseen(percentText(words, average_share), least));
  }
  if (rough) found.push(words.rough);
  return found;
}

/** What stands in the address that an answer is to, where a sentence needs it. */
export function noiseOf(words: Words, { query }: Answer): Noise {
  const given = new URLSearchParams(query);
  const [people, epsilon] = [given.get("people"), given.get("epsilon")];
  return {
    people: people && whole(words, Number(people)),
    epsilon: epsilon && epsilonText(words, Number(epsilon)),
  };
}
