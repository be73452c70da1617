/** What the dashboard says, in English. The other languages have exactly these entries. */

import { common, counted } from "../../language/en";

export const words = {
  ...common,
  problems: {
    ...common.problems,
    expired_token: "this token has expired",
    no_candidates: "there are no candidates to decode the reports against",
    no_token: "this needs a token",
    too_few_reports: "there are too few reports",
    too_many_listeners: "too many watch already",
    too_many_wrong_tokens: "too many wrong tokens came from this address; try again later",
    undecodable: "there are too many candidates for this collection",
    unknown_window: "this window has no reports",
    wrong_role: "this token has another role",
    wrong_token: "this token is not valid here",
  },
  copy: "Copy",
  copied: "Copied",
  subject: "Collector",
  collections: "Collections",
  noCollections: "This collector holds no collection yet.",
  states: { open: "Open", paused: "Paused", closed: "Closed" },
  epsilon: (epsilon: string) => `ε = ${epsilon}`,
  reports: (count: number) => counted(count, "report"),
  reportsTitle: "Reports",
  perMinute: "Reports per minute, in the last hour",
  perMinuteNow: (count: string) => `${count} in this minute`,
  connection: {
    connecting: "Connecting…",
    live: "Live",
    lost: "Connection lost: these are the last numbers. Trying again…",
    refused: "Not connected",
  },
  people: (count: number): string => (count === 1 ? "person" : "people"),
  peopleWhy: "counted by their reports, one each",
  reportsOf: (count: number): string => (count === 1 ? "report" : "reports"),
  reportsOfAll: "of all windows: a person may count in each",
  reportsOfRounds: (each: number) => `up to ${each} of each person`,
  margin: (points: string) => `±\u00a0${points}`,
  marginOf: "points of error at most",
  marginAt: (level: string) => `at ${level}\u00a0% confidence`,
  meanSelected: "answers that people select, in the mean",
  meanInterval: (low: string, high: string, level: string, rough = false) =>
    `${low} to ${high}, at ${level}\u00a0%${rough ? ", roughly: too few reports" : ""}`,
  questionWithheld: "Too few reports of this question yet: nothing is shown of it.",
  severalWhy: (most: number) =>
    `A person may select up to ${counted(most, "answer")}, so the shares don’t sum to 100\u00a0%.`,
  mean: "Mean",
  meanWhy: "of people’s numbers",
  meanMargin: "of error at most",
  numberRange: (low: string, high: string) => `${low} to ${high}`,
  meanNote: (n: number, level: string, least: string, most: string) =>
    `From ${counted(n, "report")}. The line is the ${level}\u00a0% interval. A number outside ${least} to ` +
    `${most} counts as the nearer end.`,
  binNumbers: "Numbers",
  median: "Median",
  medianWhy: (low: string, high: string, level: string) => `${low} to ${high}, at ${level}\u00a0%`,
  distribution: "Distribution",
  quantile: "Share of people below",
  quantileOf: (share: string) => `${share}\u00a0%`,
  thatNumber: "this number",
  distributionNote: (n: number, level: string) =>
    `From ${counted(n, "report")}. The bars are smoothed, each a little towards its neighbours; the lines are ` +
    `${level}\u00a0% intervals, which rest on the reports alone. Where a bar ends outside its line, trust the line. ` +
    "Quantiles and the mean take the numbers of a bin as spread evenly.",
  largest: "the largest share",
  newest: "the newest round",
  smallest: "the smallest share that would be found",
  window: "Window",
  latest: "Latest",
  all: "All together",
  latestOf: (window: string) => `Latest: ${window}`,
  windowNumber: (window: number) => `Window ${window}`,
  roundNumber: (round: string) => `Round ${round}`,
  zone: (zone: string) => `Time zone: ${zone}.`,
  compareWith: "Compare with",
  compareNone: "no other window",
  change: (then: string) => `Change since ${then}`,
  changeWhy: (level: string) =>
    `In points: the share now, less the share then. The line is the ${level}\u00a0% interval of ` +
    "each difference by itself; where it holds 0, the change may be chance.",
  changeRoundsWhy: (level: string) =>
    `In points: the share in each round, less that in the same round of the other window, with ` +
    `the ${level}\u00a0% interval of each difference by itself.`,
  changeSummary: (name: string, change: string, low: string, high: string) =>
    `${name}: ${change} points, between ${low} and ${high}`,
  changeRange: (low: string, high: string) => `${low} to ${high}`,
  history: "Window by window",
  historyOf: "Share of",
  historyWhy: (level: string) =>
    `Inner: the ${level}\u00a0% interval of each window. Outer: the band that holds for all windows at ` +
    "once. Windows with too few reports are left out.",
  sortBy: "Sort by",
  orders: { share: "Largest share", name: "Name", given: "Order of the question" },
  search: "Search",
  showAll: (count: string) => `Show all ${count}`,
  showFewer: "Show fewer",
  shownOf: (shown: string, count: string) => `${shown} of ${count}`,
  noMatch: "Nothing has this in its name.",
  rough: "rough",
  roughWhy: (rough: number, of: number) =>
    `Too few reports behind ${rough} of ${counted(of, "answer")}: their intervals are rough.`,
  roughWindows: (rough: number, of: number) =>
    `Too few reports in ${rough} of ${counted(of, "window")}: their intervals are rough.`,
  shares: "Estimated shares",
  sharesWhy: (n: number, level: string) =>
    `From ${counted(n, "report")}. The line is the ${level}\u00a0% interval. Estimates are unbiased, so that a rare ` +
    "answer may come out below 0.",
  overTime: (state: string) => `Share of “${state}” over time`,
  overTimeWhy: (level: string) =>
    `Inner: the ${level}\u00a0% interval of each round. Outer: the band that holds for all rounds at once. ` +
    "Gaps: rounds that are open, or have too few reports.",
  manyRounds: "Where rounds are too many for the width, neighbours are drawn at their widest.",
  lastRounds: (shown: string, rounds: number) =>
    `The last ${shown} of ${counted(rounds, "round")}.`,
  found: "Texts found",
  foundOf: (found: string, candidates: number) =>
    `${found} of ${counted(candidates, "candidate")} found.`,
  foundMeaning: (explained: string, rest: string, error: string) =>
    `Those found are the answers of ${explained} of people (less the luck of being found); the ` +
    `other ${rest} ± ${error} answered something else.`,
  foundByChance: {
    "benjamini-hochberg": (level: string) =>
      `At most about ${level} of those found are there by chance.`,
    bonferroni: (level: string) =>
      `The chance that any of those found is there by chance is at most ${level}.`,
    none: (_: string) => "The p-values are not adjusted for how many texts were tested.",
  },
  foundSmallest: (share: string) =>
    `A text that ${share} of people answered is found with an even chance: that is about the ` +
    "smallest share that so many reports can show.",
  foundHidden: (times: string) =>
    `The noise is ${times} times what randomising makes: something that many people answered is ` +
    "missing from the candidates, and may hide rarer texts.",
  from: (n: number) => `From ${counted(n, "report")}.`,
  nothingFound:
    "No candidate stands out from the noise: for all that is known, everybody answered something else.",
  answer: "Answer",
  text: "Text",
  share: "Share",
  interval: (level: string) => `${level}\u00a0% interval`,
  pValue: "p, adjusted",
  pointHint: "Point at the chart, or use the arrow keys, to read its numbers.",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  roundTitle: "Round",
  sharePercent: "Share in %",
  sharePoints: "Difference in points",
  truth: "Truth",
  showTruth: "Show the truth (this is a demonstration)",
  noEstimate: "none",
  fewerThan: (minimum: string) => `fewer than ${minimum}`,
  asTable: "As a table",
  nothingYet: "Nothing to show yet",
  progress: (reports: string, minimum: string) => `${reports} of ${minimum} reports`,
  progressWhy: "Below that nothing is released, so that nobody stands out.",
  progressRounds: (minimum: string) =>
    `A round is shown when it is closed, if it has at least ${minimum} reports.`,
  progressGroups: (minimum: string) =>
    `Devices are divided at random into groups that are counted apart. A group is shown when it ` +
    `has at least ${minimum} reports, so that nobody stands out.`,
  otherKind: "This page doesn’t know this kind of question and can’t draw its results.",
  decoding: "There are enough reports. They are being decoded, which may take some minutes.",
  noCandidates:
    "There are enough reports, but no candidates to decode them against yet: an analyst who has " +
    "signed in can name some.",
  undecodable:
    "There are enough reports, but too many candidates to tell them apart: an analyst who has " +
    "signed in can name fewer.",
  notPublic: "These results aren’t public",
  notPublicWhy: "They can be read by whoever has signed in with an analyst’s token.",
  isPaused: "Paused: no reports are taken now.",
  isClosed: "Closed: no more reports are taken.",
  label: "Privacy label",
  labelPromise: "Promise",
  labelOdds: "Odds",
  labelKept: "Kept",
  labelMinimum: "Shown from",
  labelWindows: "Windows",
  labelInvited: "Invited",
  invitedLabel:
    "People are invited one by one. Whoever handed out the invitations and runs the collector could " +
    "link a person to a scrambled report.",
  uninvited: "Anybody may answer. Nobody is known.",
  windowsLabel: (length: string) => `Each lasts ${length} and costs ε again.`,
  windowsRounds: (length: string, rounds: number, each: string) =>
    `Each lasts ${length}: ${counted(rounds, "round")} of ${each}. It costs ε again.`,
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
    return counted(count, unit);
  },
  checked: "This page computed the key and ε from the document itself.",
  download: "Download",
  numbers: "Numbers",
  chart: "Chart",
  thisView: "This view",
  copyLink: "Copy the link",
  print: "Print",
  source: (address: string, moment: string) => `${address}, as it stood on ${moment}`,
  noChart: "the browser can’t draw this chart as a picture",
  aggregate: "Sum (JSON)",
  openSurvey: "Open the survey page",
  plan: "Plan one like it",
  planWhy: "What error to expect with as many people, on the command line:",
  summary: (answer: string, share: string, low: string, high: string) =>
    `${answer}: ${share}\u00a0%, between ${low} and ${high}\u00a0%`,
  // Signing in
  token: "Token",
  tokenKept:
    "It is kept in this tab’s session storage until you sign out or close the tab, and is never part " +
    "of an address.",
  signIn: "Sign in",
  signOut: "Sign out",
  signedOut: (reason: string) => `You are signed out: ${reason}.`,
  roles: { admin: "Administrator", analyst: "Analyst", relay: "Relay" },
  makePlanned: "Make the collection of a plan",
  makePlannedWhy: "An administrator who has signed in can make it: the plan comes along.",
  nonePublic: "Nothing is public here",
  nonePublicWhy: "Whoever has a token of this collector can sign in.",
  close: "Close",
};

export type DashboardWords = typeof words;
