/** Everything that the pages say, in English. The other languages have exactly these entries. */

import type { People } from "../page/numbers";

export const en = {
  locale: "en",
  title: "Sudare",
  language: "Language",
  theme: "Theme",
  themes: { auto: "Auto", light: "Light", dark: "Dark" },
  copy: "Copy",
  copied: "Copied",
  percent: (text: string) => `${text}\u00a0%`,
  range: (low: string, high: string) => `${low} to ${high}\u00a0%`,
  list: (parts: readonly string[]) => parts.join(", "),
  failed: (reason: string) => `That didn’t work: ${reason}`,
  retry: "Try again",
  times: (ratio: string) => `${ratio} times`,

  // The survey
  survey: "Survey",
  loading: "Loading the question…",
  noCollection: "There is no such survey here.",
  notLoaded: "The question could not be loaded.",
  otherDocument:
    "The collector sent another question than the one this address stands for. Nothing can be " +
    "answered here: ask whoever gave you the address.",
  otherMechanism: (name: string) =>
    `This collection uses ${name}, which works on devices but not in a browser. Nothing can be ` +
    "answered here.",
  noStorage:
    "This browser doesn’t let the page keep notes. Without them it could answer twice, so it sends " +
    "nothing. Allow this site to store data, and load the page again.",
  notesChanged:
    "What this page has noted on this device (your ledger, or what you have sent) was changed by " +
    "something else and can’t be trusted. Nothing is sent. Clearing this site’s data starts anew.",
  noSchedule:
    "This collection counts over time, but doesn’t say when its rounds are. It can’t be answered in " +
    "a browser.",
  notBegun: (when: string) => `This survey begins ${when}.`,
  paused: "This survey is paused: it takes no answers now.",
  closed: "This survey is closed: it takes no more answers.",
  yourAnswer: "Your answer",
  yourText: "Your answer, in your own words",
  yourState: "Your state in this round",
  textHint: "At most 10,000 bytes. The text itself never leaves this device.",
  choose: "Choose an answer first.",
  write: "Write something first.",
  send: "Scramble and send",
  observe: "Answer this round",
  scrambled: "Your answer is scrambled on this device before it is sent",
  scrambledWhy:
    "What leaves this device may well be untrue, and nobody can tell whether it is. Only over many " +
    "people the odds can be undone.",
  grrOdds: (answer: string, people: People, others: number) =>
    `Of ${people.of} people who choose “${answer}”, about ${people.truth} report “${answer}” and ` +
    `about ${people.other} report ${others === 1 ? "the other answer" : "each one of the others"}.`,
  unaryOdds: (answer: string, people: People) =>
    `A report says yes or no to every answer, each by a coin of its own. Of ${people.of} people who ` +
    `choose “${answer}”, about ${people.truth} say yes to it, and about ${people.other} say yes to ` +
    "any other one.",
  bitOdds: (bits: number, ones: number, people: People) =>
    `Your text switches on ${ones === 1 ? "1 place" : `${ones} places`} of ${bits}. Of ` +
    `${people.of} such places, about ${people.truth} are reported as on; of ${people.of} others, ` +
    `about ${people.other} are, too.`,
  streamOdds: (rounds: number, people: People) =>
    `This device reports in one round of ${rounds}, drawn in advance, and is silent in all others. ` +
    `Of ${people.of} people, about ${people.truth} then report their true state and about ` +
    `${people.other} the other one.`,
  costs: (epsilon: string) => `It costs ε = ${epsilon}`,
  costsWhy: (ratio: string) =>
    `Whatever is sent, it is at most ${ratio} times likelier under one answer than under another.`,
  costsStream: (ratio: string) =>
    `All that is sent in a window is at most ${ratio} times likelier under one history than under ` +
    "another. A window is paid for once, when you first answer in it.",
  lifetime: (epsilon: string) =>
    `If you give the same answer again and again, all reports together cost at most ε = ${epsilon}.`,
  ledger: "Your ledger, on this device",
  spentHere: "Spent in this survey",
  spentLife: "Spent for life, in all surveys of this collector",
  cap: "Your cap for life",
  capHint: "Empty for no limit. The page sends nothing that would go beyond it.",
  setCap: "Set",
  capSet: (cap: string) => (cap === "" ? "There is no cap now." : `Your cap is now ε = ${cap}.`),
  capWrong: "A cap is a number that isn’t below 0, or empty.",
  overBudget: (asked: string, spent: string, cap: string, left: string) =>
    `Nothing was sent: this would cost ε = ${asked}; ${spent} of your ${cap} is spent, ${left} is ` +
    "left. You can raise your cap below.",
  invited: "You were invited",
  invitedWhy:
    "Your invitation is sent with the report, so that everybody answers once. If whoever gave it to " +
    "you wrote down who got it, and also runs the collector, they can link your report to you. They " +
    "would still see only the scrambled answer.",
  notInvited:
    "This survey is for invited people: open it by the link of your invitation. Without it nothing " +
    "can be sent.",
  anonymous:
    "No name, no cookie and no account is sent. As with any web page, the network shows the " +
    "collector your address.",
  round: (round: number, rounds: number) => `Round ${round} of ${rounds}`,
  ends: (seconds: number) => `ends in ${seconds} s`,
  notYourRound:
    "This is not the round in which your device reports. Nothing was sent. Your state in the other " +
    "rounds stays with you.",
  roundDone: "You have answered this round. The next one begins by itself.",
  answeredOnce: "You have answered. Each person answers once.",
  answeredWindow: (when: string) => `You have answered for now. The next time begins ${when}.`,
  sending: "Sending…",
  counted: "Arrived, and counted.",
  repeated: "It had arrived before, and counts once.",
  late: "It arrived too late: the round was closed. It doesn’t count.",
  refused: (reason: string) => `The collector refused it: ${reason}`,
  unreachable: (seconds: number) =>
    `The collector can’t be reached. The same report is sent again in ${seconds} s; you can leave ` +
    "and come back.",
  offline:
    "You are offline. The same report is sent as soon as you are back; you can leave and come back.",
  busy: (seconds: number, reason: string) =>
    `The collector can’t take it now (${reason}). The same report is sent again in ${seconds} s.`,
  sent: "Exactly what was sent",
  sentTo: "To",
  sentId: "Report id",
  sentIdWhy: "16 bytes that name this report and nothing else: sent twice, it counts once.",
  sentRecord: "Report",
  sentBody: "The body, to the letter",
  sentHeader: "Your invitation is sent beside it, as a header.",
  inWords: "In words",
  says: (answer: string) => `“${answer}”`,
  saysYes: (answers: string, no: string) => `Yes to ${answers}; no to ${no}.`,
  saysNone: "No to every answer.",
  saysAll: "Yes to every answer.",
  saysBits: (count: number, bits: number, places: string) =>
    `${count} of ${bits} places are on: ${places}`,
  saysCohort: (cohort: number, cohorts: number) => `Group ${cohort + 1} of ${cohorts}.`,
  saysState: (round: number, state: string) => `In round ${round}: “${state}”`,
  conclude: "What the collector can conclude",
  concludeWhy:
    "If every answer seemed equally likely before, this is how likely each one is after the report:",
  concludeText:
    "Texts aren’t in a report, only places that are on. If the collector takes these two texts to be " +
    "equally likely before, this is how likely each one is after the report:",
  concludeLater: "Your text is not kept, so there is nothing to compare any more.",
  another: "Another text to compare with",
  anotherDefault: "something else",
  yours: (text: string) => `${text} (yours)`,
  concludeMost: (ratio: string, most: string) =>
    `The likeliest answer explains this report ${ratio} times as well as the unlikeliest. It can ` +
    `never be more than e^ε = ${most} times.`,

  // The dashboard
  dashboard: "Collector",
  collections: "Collections",
  noCollections: "This collector holds no collection yet.",
  states: { open: "Open", paused: "Paused", closed: "Closed" },
  epsilon: (epsilon: string) => `ε = ${epsilon}`,
  reports: (count: string) => `${count} reports`,
  reportsTitle: "Reports",
  perMinute: "Reports per minute, in the last hour",
  perMinuteNow: (count: string) => `${count} in this minute`,
  connection: {
    connecting: "Connecting…",
    live: "Live",
    lost: "Connection lost: these are the last numbers. Trying again…",
    refused: "Not connected",
  },
  window: "Window",
  latest: "Latest",
  all: "All together",
  windowNumber: (window: number) => `Window ${window}`,
  shares: "Estimated shares",
  sharesWhy: (n: string, level: string) =>
    `From ${n} reports. The line is the ${level}\u00a0% interval. Estimates are unbiased, so that a rare ` +
    "answer may come out below 0.",
  overTime: (state: string) => `Share of “${state}” over time`,
  overTimeWhy: (level: string) =>
    `Dark: the ${level}\u00a0% interval of each round. Light: the band that holds for all rounds at once. ` +
    "Gaps: rounds that are open, or have too few reports.",
  lastRounds: (shown: number, rounds: number) => `The last ${shown} of ${rounds} rounds.`,
  found: "Texts found",
  foundWhy: (n: string, candidates: string, smallest: string) =>
    `From ${n} reports, among ${candidates} candidates. A text below about ${smallest} would not be ` +
    "seen.",
  nothingFound: "No candidate stands out from the noise.",
  unexplained: (share: string) => `Anything else: about ${share}`,
  answer: "Answer",
  text: "Text",
  share: "Share",
  interval: (level: string) => `${level}\u00a0% interval`,
  band: "Band",
  pValue: "p, adjusted",
  roundTitle: "Round",
  sharePercent: "Share in %",
  truth: "Truth",
  showTruth: "Show the truth (this is a demonstration)",
  noEstimate: "none",
  asTable: "As a table",
  nothingYet: "Nothing to show yet",
  progress: (reports: string, minimum: string) => `${reports} of ${minimum} reports`,
  progressWhy: "Below that nothing is released, so that nobody stands out.",
  progressRounds: (minimum: string) =>
    `A round is shown when it is closed, if it has at least ${minimum} reports.`,
  noCandidates:
    "There are enough reports. They are being decoded, or there are no candidates to decode them " +
    "against yet: an analyst can PUT a list.",
  notPublic: "These results aren’t public",
  notPublicWhy: "They can be read with an analyst’s token. It is kept until this tab is closed.",
  token: "Token",
  useToken: "Use",
  forgetToken: "Forget the token",
  isPaused: "Paused: no reports are taken now.",
  isClosed: "Closed: no more reports are taken.",
  label: "Privacy label",
  labelPromise: "Promise",
  labelOdds: "Odds",
  labelKept: "Kept",
  labelMinimum: "Shown from",
  labelWindows: "Windows",
  labelInvited: "Invited",
  keptSum: "The collector keeps the sum of the reports, and no report.",
  keptAll: "The collector keeps every report, as it was scrambled on its device.",
  invitedLabel:
    "People are invited one by one. Whoever handed out the invitations and runs the collector could " +
    "link a person to a scrambled report.",
  uninvited: "Anybody may answer. Nobody is known.",
  windowsLabel: (length: string) => `Each lasts ${length} and costs ε again.`,
  windowsRounds: (length: string, rounds: number, each: string) =>
    `Each lasts ${length}: ${rounds} rounds of ${each}. It costs ε again.`,
  noWindows: "None: each person answers once.",
  seconds: (seconds: number) => {
    const units = [
      [86_400, "day"],
      [3_600, "hour"],
      [60, "minute"],
      [1, "second"],
    ] as const;
    const [each, unit] = units.find(([each]) => seconds % each === 0) ?? [1, "second"];
    const count = seconds / each;
    return `${count} ${unit}${count === 1 ? "" : "s"}`;
  },
  checked: "This page computed the key and ε from the document itself.",
  download: "Download",
  aggregate: "Sum (JSON)",
  openSurvey: "Open the survey page",
  plan: "Plan one like it",
  planWhy: "What error to expect with how many people, on the command line:",
  summary: (answer: string, share: string, low: string, high: string) =>
    `${answer}: ${share}\u00a0%, between ${low} and ${high}\u00a0%`,
};

export type Words = typeof en;
