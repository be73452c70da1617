/** What the planner says, in English. The other languages have exactly these entries. */

import { common } from "../../language/en";
import type { Advice, Estimated, Noise } from "../advice";
import type { OutOf } from "../sense";

const NUMBERS = new Intl.NumberFormat("en");
const times = ({ right, of }: OutOf): string =>
  `${NUMBERS.format(right)}\u00a0times in\u00a0${NUMBERS.format(of)}`;

const ESTIMATED: Readonly<Record<Estimated, string>> = {
  rare: "the share of an answer that hardly anybody gives",
  mean: "the mean",
  bin: "the share of a bin",
  people: "the share of people",
};

function known({ estimated, share, isCompared, error }: Advice): string {
  const what = share === null ? ESTIMATED[estimated] : `a share of ${share}`;
  const whole = isCompared ? `the difference of two groups in ${what}` : what;
  return `${whole} is then known to ±${error}`;
}

export const words = {
  ...common,
  subject: "Plan a collection",
  intro:
    "Which ε, how many people, which mechanism, and will you see it? Every figure follows from the " +
    "mechanisms themselves, before anybody is asked.",
  toDashboard: "To the collector",
  copy: "Copy",
  copied: "Copied",
  strange: (names: string, count: number) =>
    `${names} in the address can’t be read, or ${count === 1 ? "doesn’t" : "don’t"} belong to such a plan. ` +
    "In its place stands what is usual.",
  asks: "People answer",
  kinds: {
    choice: "One of a list",
    several: "Several of a list",
    number: "A number",
    questions: "Several questions",
    text: "In their own words",
    stream: "A state over time",
    joint: "To two parties",
  },
  kindsWhy: {
    choice: "One answer of a list. The share of each is estimated.",
    several: "Check boxes. The share of people who check each answer is estimated.",
    number: "A number in a range. Its mean or its distribution is estimated.",
    questions: "One answer to each of several questions, all under one ε.",
    text: "A text, found again among candidates that you name.",
    stream: "In each round, everybody is in one of two states. The share over time is estimated.",
    joint: "Two parties add up what people have, with noise that neither of them knows.",
  },
  find: "What do you want to find?",
  finds: { people: "People", epsilon: "ε", error: "Precision" },
  findsWhy: {
    people: "You know ε and how precise it has to be. What is found is how many people that takes.",
    epsilon: "You know how many people there are and how precise it has to be. What is found is ε.",
    error: "You know how many people there are and ε. What is found is how precise a result is.",
  },
  isFound: "found",
  slider: (title: string) => `${title}, as a slider`,
  people: "People who are asked",
  epsilonTitle: "ε, for all that a person sends",
  epsilon: (epsilon: string) => `ε = ${epsilon}`,
  aim: "What you aim at",
  aims: {
    error: "An error of at most",
    smallest_share: "A share that will be seen",
    difference: "A difference of two groups that will be seen",
  },
  aimsWhy: {
    error: "Half the width of the interval around a result.",
    smallest_share: "Its interval lies above 0.",
    difference: "The interval of the difference doesn’t hold 0.",
  },
  titles: {
    answers: "Answers on the list",
    most: "A person may select at most",
    least: "From",
    largest: "To",
    step: "In steps of",
    found_out: "What is to be found out",
    bins: "Bins",
    sizes: "Answers of each question",
    associate: "How two of them are related",
    candidates: "Candidates",
    false_discoveries: "Chance to find one that nobody gave",
    rounds: "Rounds",
    low: "Share expected, from",
    high: "Share expected, to",
    most_each: "A person has at most",
    delta: "δ, the chance that ε is exceeded",
    level: "Confidence of intervals",
    power: "Chance to see what is to be seen",
    response_rate: "Of those asked, answer",
    share: "Share of the answer that is meant",
    compare: "Two groups, one of which has",
    visits: "Each person is asked so many times",
    changes: "In these, an answer changes at most",
    population: "The people asked are a sample of others",
    most_bytes: "Bytes of a report, at most",
  },
  hints: {
    sizes: "With commas between them, such as 3, 5, 2.",
    bins: "Left empty, as many as is usual.",
    associate: "Plan for the relation, too.",
    candidates: "How many texts are looked for.",
    low: "A narrower range makes for a better plan in it.",
    most_each: "1 is yes or no.",
    share: "0 is one that hardly anybody gives.",
    compare: "Of the people. Empty for no groups; an error is else that of their difference.",
    visits: "ε is for all of them together.",
    changes: "Left empty, each time.",
    population: "Shares of those that they were drawn from are meant.",
    most_bytes: "Mechanisms with longer ones are left out.",
  } as Readonly<Record<string, string | undefined>>,
  findings: { mean: "The mean", distribution: "The distribution" },
  further: "More wishes",
  allowed: {
    whole: (from: string, to: string) => `A whole number from ${from} to ${to}.`,
    wholeFrom: (from: string) => `A whole number, ${from} or more.`,
    number: "A number above 0.",
    epsilon: "A number above 0, at most 20.",
    delta: "A number above 0 and below 0.5.",
    decimal: "A number such as 18 or 0.5.",
    percent: (from: string, to: string) => `A number from ${from} to ${to}, in per cent.`,
    sizes: "Two or more whole numbers of at least 2, with commas between them.",
  },
  reckoning: "Reckoning…",
  recommended: "recommended",
  answered: "The plan",
  advice: (advice: Advice): string => {
    const at = advice.epsilon === null ? "" : ` at ε = ${advice.epsilon}`;
    const all = advice.visits === null ? "" : ` for all ${advice.visits} visits`;
    const answering = advice.reports === null ? "" : `, of whom ${advice.reports} answer`;
    const asked = `Ask ${advice.people} ${advice.isOne ? "person" : "people"} with ${advice.mechanism}${at}${all}${answering}`;
    switch (advice.shows) {
      case "round":
        return `${asked}: the worst round is then off by ${advice.error} on average.`;
      case "text":
        return `${asked}: a text that ${advice.smallest} give is seen ${times(advice.power)}.`;
      case "difference": {
        const groups = advice.compare === null ? "" : ` (${advice.compare} of them in one)`;
        return `${asked}: ${known(advice)}, and a difference of ${advice.difference} between two groups${groups} is seen ${times(advice.power)}.`;
      }
      case "share":
        return `${asked}: ${known(advice)}, and an answer that ${advice.smallest} give is seen ${times(advice.power)}.`;
      default:
        return `${asked}: ${known(advice)}.`;
    }
  },
  // Mechanisms go by their names; these have none.
  mechanisms: {
    sample: "one question each",
    split: "a part of ε for each question",
    joint: "one table of all questions",
  } as Readonly<Record<string, string | undefined>>,
  tables: (epsilon: string) => `the tables for ε = ${epsilon}`,
  beware: "Beware",
  averageUnseen: (average: string, smallest: string | null) =>
    `An average answer, of ${average}, won’t be seen: ` +
    (smallest === null ? "no answer will." : `only those that ${smallest} give.`),
  rough:
    "So few reports are so coarse that intervals don’t keep their level: take this for an order of " +
    "magnitude.",
  meaning: "What this ε means",
  bet: (bet: OutOf) =>
    `Who sees all reports of a person, and bets on one of two answers, is right at most ${times(bet)}.`,
  strengths: [
    "Hardly more than a coin’s toss: next to nothing is told of anybody.",
    "Not far from a coin’s toss: every answer can be denied.",
    "Better than a coin’s toss, but every answer can be denied.",
    "Mostly the truth: an answer can still be denied, but not as well.",
    "Nearly always the truth: it protects little more than the doubt.",
    "The truth, as good as: this protects nobody.",
  ],
  lowEnd: (epsilon: string, bet: OutOf) => `${epsilon}: a coin’s toss, right ${times(bet)}`,
  highEnd: (epsilon: string, bet: OutOf) =>
    `${epsilon}: the truth, as good as, right ${times(bet)}`,
  between: (bet: OutOf) => `A bet on one of two answers is right at most ${times(bet)}.`,
  fitsOwn: (of: string, fits: string) =>
    `Of ${of} people who give an answer, ${fits} send a report that fits it.`,
  fitsOther: (of: string, fits: string) => `Of ${of} who don’t, ${fits} do.`,
  curve: "What another ε would take",
  curveBy: (mechanism: string) => `With ${mechanism}, the recommended mechanism.`,
  curvePeople: "People",
  curveGoals: {
    error: "Error",
    smallest_share: "Smallest share that is seen",
    difference: "Smallest difference that is seen",
  },
  curveRound: "Error of the worst round",
  pointHint: "Point at the curve, or use the arrow keys, to read its numbers.",
  pointAt: (epsilon: string, value: string) => `ε = ${epsilon}: ${value}`,
  peopleCount: (people: string, count: number) => `${people} ${count === 1 ? "person" : "people"}`,
  thePlan: "the plan",
  asTable: "As a table",
  mechanismsTitle: "Every mechanism that can do it",
  columns: {
    mechanism: "Mechanism",
    people: "People",
    epsilon: "ε",
    error: "Error ±",
    round: "Worst round",
    smallest: "Seen from",
    difference: "Difference",
    bytes: "Bytes",
    forged: "1\u00a0% forged",
    year: "ε a year",
    device: "Device",
    server: "Server",
  },
  columnsWhy: {
    smallest: "Seen from: the smallest share that is seen with the chance wished for.",
    forged:
      "1\u00a0% forged: how far somebody who forges so many reports raises a share that nobody has at most; of a mean, how far it moves in parts of the range.",
    year: "ε a year: what a person spends at most who is asked every week.",
    costs: "Device and server: the time to make, and to count, one report.",
  },
  leftOut: (most: string, names: string) =>
    `Left out, as their reports have more than ${most} bytes: ${names}.`,
  leftOutOne: (name: string, bytes: string) => `${name} (${bytes})`,
  trust: "Whom people would have to trust",
  trustWhy: "The same wish under three models of trust.",
  trusted: "To be trusted",
  models: {
    randomised: "Nobody: answers are randomised before they are sent",
    two_parties: "Two parties, of whom one has to be honest",
    curator: "A curator, who sees every answer",
  },
  atBest: (text: string) => `${text}, at best`,
  none: "none",
  next: "What next",
  nextWhy: "This command makes the collection:",
  nextJoint: "This command makes the count of the two parties:",
  copyAddress: "Copy the address of this plan",
  address: "The address of this page has all of the plan: send it to whoever decides with you.",
  make: "Make this collection",
  makeWhy: "It asks for the words only: the rest is in the plan.",
  refused: "There is no such plan",
  refusals: {
    white_noise: ({ people, epsilon }: Noise) =>
      people === null
        ? `At ε = ${epsilon} that would show nothing but noise: a guess would do as well.`
        : epsilon === null
          ? `${people} people would show nothing but noise: a guess would do as well.`
          : `${people} people at ε = ${epsilon} would show nothing but noise: a guess would do as well.`,
    out_of_reach: ({ people, epsilon }: Noise) =>
      people === null
        ? `At ε = ${epsilon} no number of people is enough for that.`
        : `${people} people can’t reach that, whatever ε is.`,
    too_long: () => "No mechanism has reports as short as that.",
  },
  refusedOther: "That can’t be planned:",
  waysOut: "What would do",
  ways: {
    people: (value: string) => `Ask ${value} people`,
    epsilon: (value: string) => `Take ε = ${value}`,
    answers: (value: string) => `Merge the answers to ${value}`,
    error: (value: string) => `Be content with ±${value}`,
    smallest_share: (value: string) => `See shares from ${value}`,
    difference: (value: string) => `See differences from ${value}`,
    most_bytes: (value: string) => `Allow reports of ${value} bytes`,
  } as Readonly<Record<string, ((value: string) => string) | undefined>>,
  unreadable: "Some of the wishes can’t be read. The plan follows as soon as they can.",
};

export type PlanWords = typeof words;
