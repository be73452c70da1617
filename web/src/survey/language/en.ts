/** What the survey says, in English. The other languages have exactly these entries. */

import { common, counted } from "../../language/en";
import type { People } from "../../page/numbers";

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
  // What stands in the way, by the collector's codes where they have one, and what to do.
  nothingSent: "Nothing was sent, and nothing was charged to your ledger.",
  obstacles: {
    noKey: {
      title: "This link is incomplete",
      what: "It doesn’t say which survey it is for. Open the whole link, just as you got it.",
    },
    unknown_collection: {
      title: "There is no such survey here",
      what: "It was removed, or the link lost a part on its way. Ask whoever gave you the link.",
    },
    closed: { title: "This survey is closed", what: "It takes no more answers." },
    paused: {
      title: "This survey is paused",
      what: "It takes no answers at the moment. Come back later by the same link.",
    },
    uninvited: {
      title: "This invitation can’t be used",
      what:
        "It was used already, or it isn’t known here. If you have answered with it, that still " +
        "counts. If you haven’t, ask whoever invited you for a new link.",
    },
    notInvited: {
      title: "This survey is by invitation",
      what: "Open it by the link in your invitation.",
    },
    window_full: {
      title: "There are enough answers for now",
      what: "The survey takes no more at the moment. Come back later by the same link.",
    },
    window_closed: {
      title: "The time for this answer is over",
      what: "By the collector’s clock it has ended. If that seems wrong, check this device’s clock.",
    },
    window_not_open: {
      title: "It isn’t time yet",
      what: "By the collector’s clock it hasn’t begun. If that seems wrong, check this device’s clock.",
    },
    offline: {
      title: "You are offline",
      what: "The page goes on by itself as soon as you are connected again.",
    },
    unreachable: {
      title: "The survey can’t be reached",
      what: "The collector doesn’t answer. Check your connection, or try again in a few minutes.",
    },
    busy: {
      title: "The survey can’t take answers right now",
      what: "The collector has too much to do. Try again in a minute.",
    },
    noStorage: {
      title: "This browser keeps no notes for this page",
      what:
        "Without them it could answer twice. Allow this site to store data (a private window may " +
        "not), and load the page again.",
    },
    notesChanged: {
      title: "The page’s notes can’t be trusted",
      what:
        "What it has noted on this device (your ledger, or what you sent) was changed by something " +
        "else. Clearing this site’s data starts anew.",
    },
    otherDocument: {
      title: "This isn’t the survey of your link",
      what: "The collector sent another question. Tell whoever gave you the link.",
    },
    noSchedule: {
      title: "This survey can’t be answered in a browser",
      what:
        "It asks again and again, but doesn’t say when. Use the command “sudare device”, or ask " +
        "whoever gave you the link.",
    },
  },
  notBegun: (when: string) => ({
    title: "This survey hasn’t begun",
    what: `It begins on ${when}.`,
  }),
  notAllowed: (host: string, collector: string) => ({
    title: "This page may not ask its collector",
    what:
      `${collector} answers, but doesn’t let this page read it. Whoever runs it must start it with ` +
      `“--allow-origin ${host}”.`,
  }),
  otherMechanism: (name: string) => ({
    title: "This survey can’t be answered in this browser",
    what:
      `It scrambles answers by ${name}, which this page doesn’t know. A newer version of the page ` +
      "may; the command “sudare device” of the collector’s version does.",
  }),
  refusedTitle: "The collector takes no answer now",
  failedTitle: "The question couldn’t be loaded",
  yourAnswer: "Your answer",
  yourAnswers: "Your answers",
  noneOfThese: "None of these",
  selected: (count: number, most: number) => `${count} of at most ${most} selected`,
  yourText: "Your answer, in your own words",
  yourState: "Your state in this round",
  yourNumber: "Your number",
  numberIn: (least: string, most: string, step: string) =>
    `From ${least} to ${most}, in steps of ${step}`,
  slider: "The same on a slider",
  nothingEntered: "nothing entered yet",
  enterNumber: "Enter a number first.",
  noNumber: (example: string) => `This can’t be read as a number. Write it like ${example}.`,
  clipped: (least: string, most: string, end: string) =>
    `This lies outside ${least} to ${most}: it counts as ${end}.`,
  nearest: (step: string) => `The nearest step is ${step}: it counts as that.`,
  search: "Search the answers",
  found: (found: string, all: string) => (found === all ? `${all} answers` : `${found} of ${all}`),
  chosen: ":",
  textHint: "At most 10,000 bytes. The text itself never leaves this device.",
  choose: "Choose an answer first.",
  answerAll: "Answer every question first.",
  drawn: (question: string) =>
    `The device drew the question “${question}”. Your other answers were not sent.`,
  concludeOne: (question: string) =>
    `“${question}”: if every answer seemed equally likely before, this is how likely each one is ` +
    "after the report:",
  concludeNone: "Of the other questions nothing: the report says nothing of them.",
  oddsOfEach: "How often the answer to each question is told truly",
  showAll: (count: string) => `Show all ${count}`,
  likeliest: (shown: string, count: string) => `The ${shown} likeliest of ${count}.`,
  saysCombinations: (yes: number, all: number) => `Yes to ${yes} of ${all} combinations.`,
  chooseSome: "Choose answers first, or “None of these”.",
  write: "Write something first.",
  promise: "Your answer is scrambled on this device before it is sent.",
  send: "Scramble and send",
  observe: "Answer this round",
  scrambled: "What protects you",
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
  ends: (seconds: number) =>
    seconds < 120 ? `ends in ${seconds} s` : `ends in ${Math.ceil(seconds / 60)} minutes`,
  notYourRound:
    "Your device doesn’t report in this round. Nothing was sent. Your state in such rounds stays " +
    "with you.",
  timeOver: "The time for this answer ended before it was sent. Nothing was sent: answer anew.",
  roundDone: "You have answered this round. The next one begins by itself.",
  answeredOnce: "You have answered. Each person answers once.",
  answeredWindow: (when: string) => `You have answered for now. The next time begins ${when}.`,
  results: "See the results",
  asking: "Asking whether answers are taken…",
  sending: "Sending…",
  counted: "Thank you! Your report has arrived and counts.",
  repeated: "Thank you! Your report had arrived before. It counts once.",
  late: "Your report came too late: the round was closed. It doesn’t count, but it has left this device, so it stays in your ledger.",
  refused: (reason: string) =>
    `The collector refused your report: ${reason}. It doesn’t count, but it has left this device, so ` +
    "it stays in your ledger.",
  wasRefused:
    "The collector refused your report. It doesn’t count. Ask whoever gave you the link what went wrong.",
  doubtful: "(An earlier attempt may have counted all the same.)",
  earlier: (said: string) => `An earlier report: ${said}`,
  unreachable: (seconds: number) =>
    `Not there yet: the collector can’t be reached. The same report is sent again in ${seconds} s; ` +
    "you can leave and come back.",
  offline:
    "Not there yet: you are offline. The same report is sent as soon as you are back; you can leave " +
    "and come back.",
  busy: (seconds: number, reason: string) =>
    `Not there yet: the collector can’t take it now (${reason}). The same report is sent again in ` +
    `${seconds} s.`,
  sent: "Exactly what was sent",
  beingSent: "Exactly what is being sent",
  wasntTaken: "What the collector refused",
  sentTo: "To",
  sentId: "Report id",
  sentIdWhy: "16 bytes that name this report and nothing else: sent twice, it counts once.",
  sentRecord: "Report",
  sentBody: "The body, to the letter",
  sentHeader: "Your invitation is sent beside it, as a header.",
  inWords: "In words",
  // What it means that a report says what it says.
  ownAnswer: ({ of, truth }: People) =>
    `By chance, this is your own answer. It is sent for about ${truth} of ${of} people who choose ` +
    "it, and another one for the rest. Whoever reads it can’t tell which of them you are.",
  otherAnswer:
    "This isn’t what you chose: chance put it in its place. That keeps your answer yours. The odds " +
    "are known, so the totals over many people still come out right.",
  ownYes: ({ of, truth, other }: People) =>
    `By chance, it says yes to your own answer, as about ${truth} of ${of} such reports do. About ` +
    `${other} of ${of} reports say yes to an answer that wasn’t chosen, so a yes proves nothing.`,
  ownNo: ({ of, truth }: People) =>
    `By chance, it says no to your own answer, as about ${of - truth} of ${of} such reports do. That ` +
    "keeps your answer yours.",
  ownItems: ({ of, truth }: People) =>
    `By chance, it names something of yours: an answer that you selected, or a blank for one that you ` +
    `didn’t. About ${truth} of ${of} reports do, and which of the items it is can’t be told.`,
  strangeItems: ({ of, other }: People) =>
    `By chance, it names nothing of yours, as about ${other} of ${of} reports do. That keeps your ` +
    "answers yours. The odds are known, so the totals over many people still come out right.",
  ownMark: ({ of, truth, other }: People, end: string) =>
    `Of ${of} people with your number, about ${truth} send this very mark; of ${of} with ${end}, ` +
    `about ${other} do. So it proves nothing about you. The odds are known, so what is found out ` +
    "about many people still comes out right.",
  ownState: ({ of, truth }: People) =>
    `By chance, this is your own state. It is sent for about ${truth} of ${of} people who are in it, ` +
    "and the other one for the rest. Whoever reads it can’t tell which of them you are.",
  otherState:
    "This isn’t your state: chance put the other one in its place. That keeps your state yours. The " +
    "odds are known, so the totals over many people still come out right.",
  saidAnyway:
    "In most rounds this is sent whatever your state is, so it says next to nothing about you.",
  someByChance:
    "Some of these places are your text’s, others were switched on by chance, and some of your text’s " +
    "were switched off. Whoever reads it can’t tell which.",
  forgotten: "This may be your own answer or not: the page doesn’t keep what you chose.",
  says: (answer: string) => `“${answer}”`,
  saysSet: (answers: string, blanks: number) =>
    [answers, blanks > 0 ? counted(blanks, "blank") : ""].filter((part) => part !== "").join(", "),
  saysYes: (answers: string, no: string) => `Yes to ${answers}; no to ${no}.`,
  saysYesOf: (answers: string, others: number) => `Yes to ${answers}; no to the ${others} others.`,
  saysNone: "No to every answer.",
  saysAll: "Yes to every answer.",
  saysSome: (yes: number, answers: number) => `Yes to ${yes} of ${answers} answers.`,
  saysPoint: (point: number, yes: number, answers: number) =>
    `The number ${point}: yes to ${yes} of ${answers} answers.`,
  saysBits: (count: number, bits: number, places: string) =>
    `${count} of ${bits} places are on: ${places}`,
  saysMark: (mark: number, marks: number, counts: string) =>
    `Mark ${mark} of ${marks}, which counts as ${counts} in the mean.`,
  saysNumbers: (mark: number, marks: number, least: string, most: string) =>
    `Mark ${mark} of ${marks}, which stands for ${least} to ${most}.`,
  saysCohort: (cohort: number, cohorts: number) => `Group ${cohort + 1} of ${cohorts}.`,
  saysState: (round: number, state: string) => `In round ${round}: “${state}”`,
  conclude: "What the collector can conclude",
  concludeWhy:
    "If every answer seemed equally likely before, this is how likely each one is after the report:",
  concludeSet:
    "If having selected nothing, and each answer alone, seemed equally likely before, this is how " +
    "likely each is after the report:",
  concludeNumber:
    "If these numbers seemed equally likely before, this is how likely each one is after the report:",
  concludeText:
    "Texts aren’t in a report, only places that are on. If the collector takes these two texts to be " +
    "equally likely before, this is how likely each one is after the report:",
  concludeLater: "Your text is not kept, so there is nothing to compare any more.",
  another: "Another text to compare with",
  anotherDefault: "something else",
  yours: (text: string) => `${text} (yours)`,
  concludeEqual: "All of them explain this report equally well: it doesn’t tell which it is.",
  concludeMost: (ratio: string, most: string) =>
    `The likeliest answer explains this report ${ratio} times as well as the unlikeliest. It can ` +
    `never be more than e^ε = ${most} times.`,
};

export type SurveyWords = typeof words;
