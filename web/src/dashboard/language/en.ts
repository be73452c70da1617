/** What the dashboard says, in English. The other languages have exactly these entries. */

import { common } from "../../language/en";

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
  manyRounds: "Where rounds are too many for the width, neighbours are drawn at their widest.",
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
  pValue: "p, adjusted",
  pointHint: "Point at a round, or use the arrow keys, to read its numbers.",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  roundTitle: "Round",
  sharePercent: "Share in %",
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
  // Signing in
  token: "Token",
  tokenKept:
    "It is kept in this tab’s session storage until you sign out or close the tab, and is never part " +
    "of an address.",
  signIn: "Sign in",
  signOut: "Sign out",
  signedOut: (reason: string) => `You are signed out: ${reason}.`,
  roles: { admin: "Administrator", analyst: "Analyst", relay: "Relay" },
  nonePublic: "Nothing is public here",
  nonePublicWhy: "Whoever has a token of this collector can sign in.",
  close: "Close",
};

export type DashboardWords = typeof words;
