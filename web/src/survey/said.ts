/** A report in words. */

import { Glance, Grr, Rappor, type Collection } from "../device";
import { hexToBytes } from "@noble/hashes/utils.js";
import { getBit } from "../device/packed";
import type { Words } from "./language";

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
