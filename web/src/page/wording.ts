/** What both pages say of each kind of question: its promise, and how often a report is true. */

import {
  Grr,
  JointQuestions,
  Points,
  SampledQuestions,
  mostRatio,
  odds,
  type Changes,
  type Collection,
  type Continual,
  type Mechanism,
  type Categorical,
  type Rappor,
  SubsetSelection,
  type SetResponse,
  type SplitQuestions,
  type Unary,
  type SquareWave,
  type Window,
} from "../device";
import type { CommonWords } from "../language";
import { peopleOf, upTo } from "./numbers";
import { isolated } from "./strangers";

/** A kind of question in words, on either page. */
export interface Wording {
  /** What a person is promised, whatever they answer. */
  promise(words: CommonWords, collection: Collection): string;
  /** How often a report tells the truth; with the answer in question, if any, as the example. */
  odds(words: CommonWords, collection: Collection, answer?: string): string;
}

/**
 * A collection that is randomised by certain mechanisms, as all of one kind are. A kind's functions
 * may ask for such a one, since they are called for no other. (TypeScript allows it of methods.)
 */
export type CollectionBy<Known extends Mechanism> = Collection & { readonly mechanism: Known };

/** A collection where people choose one of several answers. */
export type ChoiceCollection = CollectionBy<Grr | Unary | SubsetSelection | Points | Rappor>;

/** That a report tells little about which answer it is of. */
export function answerPromise(words: CommonWords, { mechanism }: Collection): string {
  return words.costsWhy(upTo(mostRatio(mechanism), 3));
}

/** What answers cost that change, and how often it shows that one did. */
export function changesOf(words: CommonWords, { cells, epsilon, shows }: Changes): string {
  return words.changes(cells, upTo(epsilon), String(Math.ceil(100 * shows)));
}

/** That all reports of a window tell little about the states in its rounds. */
export function historyPromise(words: CommonWords, { mechanism }: Collection): string {
  return words.costsStream(upTo(mostRatio(mechanism), 3));
}

/** How often a report of a choice names the true answer, or says yes to it. */
export function choiceOdds(
  words: CommonWords,
  { mechanism, answers }: ChoiceCollection,
  answer?: string,
): string {
  const example = isolated(answer || (answers[0] as string));
  const people = peopleOf(odds(mechanism));
  if (mechanism instanceof Points) return words.pointOdds(example, people);
  if (mechanism instanceof SubsetSelection) {
    return words.subsetOdds(mechanism.setSize, mechanism.k, example, people);
  }
  return mechanism instanceof Grr
    ? words.grrOdds(example, people, mechanism.k - 1)
    : words.unaryOdds(example, people);
}

/** How often a report names an answer that was selected, and one that wasn't. */
export function setOdds(
  words: CommonWords,
  { mechanism, answers }: CollectionBy<SetResponse>,
  answer?: string,
): string {
  const { setSize, most } = mechanism;
  const example = isolated(answer ?? (answers[0] as string));
  return words.setOdds(setSize, most, example, peopleOf(odds(mechanism)));
}

/** How often a report is one of the marks that stand for numbers near the person's. */
export function windowOdds(
  words: CommonWords,
  { mechanism }: CollectionBy<Window | SquareWave>,
): string {
  const { width, outputs } = mechanism;
  return words.windowOdds(width, outputs, peopleOf(odds(mechanism)));
}

/** How often the places that a text switches on are reported as on. */
export function textOdds(words: CommonWords, { mechanism }: CollectionBy<Rappor>): string {
  return words.bitOdds(mechanism.bits, mechanism.hashes, peopleOf(odds(mechanism)));
}

/** How often a device reports its state, and how often the true one. */
export function statesOdds(
  words: CommonWords,
  { mechanism, answers }: CollectionBy<Continual>,
): string {
  const { rounds, looks, reportsEach } = mechanism;
  const people = peopleOf(odds(mechanism));
  if (looks < reportsEach) {
    return words.streamHidden(looks, rounds, isolated(answers[0] as string), people);
  }
  if (looks < rounds) return words.streamSome(looks, rounds, people);
  return words.streamEvery(rounds, people);
}

/** A collection that asks several questions at once. */
export type SeveralCollection = CollectionBy<SampledQuestions | SplitQuestions | JointQuestions>;

/** A question among several, or their joint table, as a collection that asks it alone. */
function alone(
  collection: Collection,
  mechanism: Categorical,
  answers: readonly string[],
): ChoiceCollection {
  return Object.create(collection, {
    mechanism: { value: mechanism },
    answers: { value: answers },
  }) as ChoiceCollection;
}

/** One of several questions that has a mechanism of its own, as a collection that asks it alone. */
export function oneOf(collection: SeveralCollection, question: number): ChoiceCollection {
  const { mechanism, parts } = collection;
  const { answers = [] } = parts[question] ?? {};
  if (mechanism instanceof JointQuestions) throw new RangeError("the questions have one mechanism");
  return alone(collection, mechanism.parts[question] as Categorical, answers);
}

/** The joint table of several questions as a collection that asks for a combination. */
export function tableOf(collection: SeveralCollection, table: JointQuestions): ChoiceCollection {
  const labels = Array.from({ length: table.table.k }, (_, cell) =>
    table
      .rowOf(cell)
      .map((answer, question) => collection.parts[question]?.answers[answer] ?? "")
      .join(" / "),
  );
  return alone(collection, table.table, labels);
}

/**
 * How a device treats the answers to several questions, and how often each is told truly: a line
 * that says how, then one for each question, with the answers in question as examples.
 */
export function severalOdds(
  words: CommonWords,
  collection: SeveralCollection,
  labels: readonly string[] = [],
): string {
  const { mechanism, parts } = collection;
  if (mechanism instanceof JointQuestions) {
    const table = choiceOdds(words, tableOf(collection, mechanism), labels.join(" / "));
    return [words.jointOdds(mechanism.table.k), table].join("\n");
  }
  const first =
    mechanism instanceof SampledQuestions
      ? words.sampleOdds(parts.length)
      : words.splitOdds(parts.length);
  const each = parts.map(({ question }, at) =>
    words.ofQuestion(isolated(question), choiceOdds(words, oneOf(collection, at), labels[at])),
  );
  return [first, ...each].join("\n");
}
