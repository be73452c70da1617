/** How often a report of a collection tells the truth, in words. */

import { Glance, Grr, Rappor, odds, type Collection } from "../device";
import type { CommonWords } from "../language";
import { peopleOf } from "./numbers";

/** How often a report tells the truth; with the answer in question as the example. */
export function oddsText(words: CommonWords, collection: Collection, answer: string): string {
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
