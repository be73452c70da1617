/** Odds, prices and reports of a collection, in words. */

import { hexToBytes } from "@noble/hashes/utils.js";

import { Glance, Grr, Rappor, odds, type Collection } from "../device";
import { getBit } from "../device/packed";
import type { Words } from "../language";
import { peopleOf } from "./numbers";

/** How often a report tells the truth; with the answer in question as the example. */
export function oddsText(words: Words, collection: Collection, answer: string): string {
  const { mechanism } = collection;
  const people = peopleOf(odds(mechanism));
  const example = answer || (collection.answers[0] ?? "");
  if (mechanism instanceof Grr) return words.grrOdds(example, people, mechanism.k - 1);
  if (mechanism instanceof Glance) return words.streamOdds(mechanism.rounds, people);
  if (mechanism instanceof Rappor && mechanism.hashes > 0) {
    return words.bitOdds(mechanism.bits, mechanism.hashes, people);
  }
  return words.unaryOdds(example, people);
}

/** What a report says, in words. */
export function reportText(words: Words, collection: Collection, hex: string): string {
  const { mechanism, answers } = collection;
  const record = hexToBytes(hex);
  if (mechanism instanceof Grr) return words.says(answers[mechanism.readReport(record)] as string);
  if (mechanism instanceof Glance) {
    const { round, bit } = mechanism.readReport(record);
    return words.saysState(round, answers[bit] as string);
  }
  if (mechanism instanceof Rappor) {
    const { cohort, row } = mechanism.readReport(record);
    if (mechanism.hashes === 0) return yesText(words, answers, row);
    const on = numbers(mechanism.bits).filter((place) => getBit(row, place));
    const places = words.saysBits(on.length, mechanism.bits, on.join(" "));
    const group = mechanism.cohorts > 1 ? `${words.saysCohort(cohort, mechanism.cohorts)} ` : "";
    return group + places;
  }
  return yesText(words, answers, mechanism.readReport(record));
}

function yesText(words: Words, answers: readonly string[], row: BigUint64Array): string {
  const quoted = (isYes: boolean): string[] =>
    answers.filter((_, place) => getBit(row, place) === isYes).map(words.says);
  const [yes, no] = [quoted(true), quoted(false)];
  if (yes.length === 0) return words.saysNone;
  if (no.length === 0) return words.saysAll;
  return words.saysYes(words.list(yes), words.list(no));
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
