/** What both pages say, in English. The other languages have exactly these entries. */

import type { People } from "../page/numbers";

const NUMBERS = new Intl.NumberFormat("en");

/** So many of something: 1 report, 2,000 reports; 1 person, 2 people. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${NUMBERS.format(count)} ${count === 1 ? one : many}`;
}

export const common = {
  locale: "en",
  title: "Sudare",
  language: "Language",
  theme: "Theme",
  themes: { auto: "Auto", light: "Light", dark: "Dark" },
  percent: (text: string) => `${text}\u00a0%`,
  range: (low: string, high: string) => `${low} to ${high}\u00a0%`,
  failed: (reason: string) => `That didn’t work: ${reason}`,
  noAnswer: "the collector can’t be reached",
  // By the codes of the collector's refusals; it says all others in its own words.
  problems: {
    busy: "it has too much to do now",
    computing: "it is being computed",
    internal: "something went wrong at the collector; it was noted there",
    not_found: "there is nothing at this address",
    stopping: "the collector is stopping",
    store_unavailable: "the collector can’t store anything now",
    unknown_collection: "there is no such collection here",
  },
  grrOdds: (answer: string, people: People, others: number) =>
    `Of ${people.of} people who choose “${answer}”, about ${people.truth} report “${answer}” and ` +
    `about ${people.other} report ${others === 1 ? "the other answer" : "each one of the others"}.`,
  unaryOdds: (answer: string, people: People) =>
    `A report says yes or no to every answer, each by a coin of its own. Of ${people.of} people who ` +
    `choose “${answer}”, about ${people.truth} say yes to it, and about ${people.other} to each of ` +
    "the others.",
  subsetOdds: (size: number, answers: number, answer: string, people: People) =>
    `A report says yes to ${size} of the ${counted(answers, "answer")} and no to all others. Of ` +
    `${people.of} people who choose “${answer}”, about ${people.truth} say yes to it, and about ` +
    `${people.other} to ${answers === 2 ? "the other" : "each of the others"}.`,
  setOdds: (size: number, blanks: number, answer: string, people: People) =>
    `A report names ${counted(size, "item")} out of the answers and ${counted(blanks, "blank")}, which ` +
    `${blanks === 1 ? "stands" : "stand"} for answers that aren’t selected. Of ${people.of} people who select “${answer}”, about ` +
    `${people.truth} name it, and of ${people.of} who don’t, about ${people.other} do, too.`,
  windowOdds: (width: number, marks: number, people: People) =>
    `A report is one of ${marks} marks. Of ${people.of} people, about ${people.truth} send one of the ` +
    `${width} that stand for numbers near their own, and about ${people.other} one of the others.`,
  sampleOdds: (questions: number) =>
    `The device draws one of the ${questions} questions, whatever you answer, and says something ` +
    `of this one alone. The other answers stay here.`,
  splitOdds: (questions: number) =>
    `The device says something of each of the ${questions} questions, with more lies than for one ` +
    `question alone, so that all of them together cost no more.`,
  jointOdds: (combinations: number) =>
    `The device takes all your answers together for one answer, out of ${combinations} combinations.`,
  ofQuestion: (question: string, said: string) => `“${question}”: ${said}`,
  pointOdds: (answer: string, people: People) =>
    "A report is a number that says yes to some of the answers and no to the others. Of " +
    `${people.of} people who choose “${answer}”, about ${people.truth} send one that says yes to ` +
    `it; to each of the others, about ${people.other} do.`,
  bitOdds: (bits: number, ones: number, people: People) =>
    `A text switches on ${ones === 1 ? "1 place" : `${ones} places`} of ${bits}. Of ` +
    `${people.of} such places, about ${people.truth} are reported as on; of ${people.of} others, ` +
    `about ${people.other} are, too.`,
  streamSome: (looks: number, rounds: number, people: People) =>
    `A device reports in ${looks === 1 ? "one round" : `${looks} rounds`} of ${rounds}, drawn in ` +
    `advance, and is silent in all others. Of ${people.of} people, about ${people.truth} then report ` +
    `their true state and about ${people.other} the other one.`,
  streamEvery: (rounds: number, people: People) =>
    `A device reports in ${rounds === 1 ? "the one round" : `each of the ${rounds} rounds`}. Of ` +
    `${people.of} people, about ${people.truth} report their true state there and about ` +
    `${people.other} the other one.`,
  streamHidden: (looks: number, rounds: number, other: string, people: People) =>
    `A device looks at the state in ${looks === 1 ? "one round" : `${looks} rounds`} of ` +
    `${rounds}, drawn in advance, and reports “${other}” in all others. Of ${people.of} people, about ` +
    `${people.truth} then report their true state and about ${people.other} the other one.`,
  costsWhy: (ratio: string) =>
    `Whatever is sent, it is at most ${ratio} times likelier under one answer than under another.`,
  costsStream: (ratio: string) =>
    `All that is sent in a window is at most ${ratio} times likelier under one history than under ` +
    "another. A window is paid for once, when you first answer in it.",
  lifetime: (epsilon: string) =>
    `If you give the same answer again and again, all reports together cost at most ε = ${epsilon}.`,
  changes: (cells: number, epsilon: string, shown: string) =>
    `Your device sorts the answers into ${cells} groups, and keeps its noise for each group, not for ` +
    `each answer. However often your answer changes, all reports together cost at most ε = ${epsilon}. ` +
    "What this doesn’t hide is that your answer has moved to another group: in the end that shows, " +
    `in up to ${shown} of 100 cases.`,
  keptSum: "The collector keeps the sum of the reports, and no report.",
  keptAll: "The collector keeps every report, as it was scrambled on its device.",
};

export type CommonWords = typeof common;
