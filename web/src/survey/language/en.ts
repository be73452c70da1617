/** What the survey says, in English. The other languages have exactly these entries. */

import { common } from "../../language/en";

export const words = {
  ...common,
  problems: {
    ...common.problems,
    closed: "the survey is closed",
    invalid_body: "the report has another form than it wants",
    invalid_report: "no device of this survey can make such a report",
    invalid_window: "the survey has no such window",
    not_open: "the survey takes no reports now",
    paused: "the survey is paused",
    uninvited: "the invitation is unknown, or was used already",
    window_closed: "its time is over",
    window_full: "it has all the reports that it takes for now",
    window_not_open: "its time has not begun",
  },
  list: (parts: readonly string[]) => parts.join(", "),
  retry: "Try again",
  subject: "Survey",
  loading: "Loading the question…",
  noCollection: "There is no such survey here.",
  notLoaded: "The question could not be loaded.",
  notAllowed: (host: string, collector: string) =>
    `${collector} answers, but doesn’t let this page read it. Whoever runs it must start it with ` +
    `“--allow-origin ${host}”.`,
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
  costs: (epsilon: string) => `It costs ε = ${epsilon}`,
  ledger: "Your ledger, on this device",
  spentHere: "Spent in this survey",
  spentLife: "Spent for life, in all surveys of this site",
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
  supplier: "Who supplies this program",
  hostedHere: (host: string) =>
    `The program that scrambles comes from ${host}, which also gets your report: it could serve ` +
    "another program, and can read what this page keeps in this browser. To be safe from that, use " +
    "a page hosted by somebody you trust, or the command “sudare”.",
  hostedElsewhere: (host: string, collector: string) =>
    `The program that scrambles comes from ${host}, which could serve another one, and can read ` +
    `what this page keeps in this browser. ${collector} can do neither: it gets your report.`,
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
  doubtful: "(An earlier attempt may have counted all the same.)",
  earlier: (said: string) => `An earlier report: ${said}`,
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
};

export type SurveyWords = typeof words;
