/** What the administration says, in English. The other languages have exactly these entries. */

export const words = {
  problems: {
    closed: "it is closed, for good",
    last_admin: "this is the last administrator’s token, and without it nobody could sign in",
  },
  cancel: "Cancel",
  newCollection: "New collection",
  create: "Create it",
  created: (name: string) => `“${name}” is held from now on.`,
  plan: "Plan a collection",
  notSure: "Not sure which ε, or how many people?",
  planIt: "Plan it",
  planned:
    "The plan has settled the kind of question, the mechanism and ε. What is left is what people read, and " +
    "the rules.",
  changePlan: "Change the plan",
  answersPlanned: (count: string) =>
    `The plan is for ${count} answers, each different, one per line.`,
  answersGiven: (given: string, count: string) => `${given} of the plan’s ${count}.`,
  question: "Question",
  name: "Short name",
  nameWhy: "For lists and files. People see it above the question.",
  asks: "People answer",
  heading: "Heading above the questions",
  questionNumber: (number: number) => `Question ${number}`,
  columnName: "Its short name",
  columnNameWhy: "Of its column in tables; each question has another.",
  addQuestion: "Add another question",
  removeQuestion: (number: number) => `Remove question ${number}`,
  asked: {
    choice: "One of a list of answers",
    several: "Several of a list of answers",
    number: "A number",
    questions: "Several questions at once",
    text: "In their own words",
    states: "A state over time",
  },
  askedWhy: {
    choice: "The share of each answer is estimated.",
    several: "Check boxes. The share of people who check each answer is estimated.",
    number: "A number in a range. Its mean or its distribution is estimated.",
    questions:
      "One answer of a list to each. One report leaves, and ε is for all questions together.",
    text: "Texts are found again among candidates that you name later.",
    states: "In each round, everybody is in one of two states; the share over time is estimated.",
  },
  answers: "Answers, one per line",
  answersWhy: "At least two, each different.",
  stateNames: "The two states, one per line",
  stateNamesWhy: "The share of the second is estimated, such as “off” and then “on”.",
  most: "A person may select at most",
  mostWhy: "Each more makes every share less precise.",
  numbersFrom: "From the least number to the largest",
  numbersFromWhy:
    "Such as 18 and 99. Numbers outside count as the nearer end, and people are told.",
  numbersTo: "The largest number",
  step: "In steps of",
  stepWhy: "Such as 1 or 0.5; steps of it lead from the least number to the largest.",
  foundOut: "What is to be found out",
  finding: { mean: "The mean", distribution: "The distribution" },
  findingWhy: {
    mean: "One number: what people say on average.",
    distribution:
      "How many people are where in the range, in bins, with the median and other quantiles.",
  },
  rounds: "Rounds in a window",
  roundsWhy: "With a window of a day, 24 rounds are of an hour each.",
  wants: "What matters most",
  wanted: {
    least_error: "The least error",
    association: "How two questions are related",
    small_reports: "Small reports",
    permanent_noise: "Asked again and again",
    changing_answers: "Asked again, and answers change",
    one_report: "One report from each",
  },
  wantedWhy: {
    least_error:
      "The mechanism with the smallest error for this ε. For one answer of a list: among those whose " +
      "report has at most 128 bytes.",
    association:
      "Of the ways in which a report says something of two questions at once, the one with the smallest error.",
    small_reports:
      "The mechanism with the smallest error among those whose report is a number of at most 4 bytes, however " +
      "many answers there are.",
    permanent_noise:
      "Noise that stays: however often somebody gives the same answer, all reports together tell little.",
    changing_answers:
      "Noise that stays, and few noises: however often somebody’s answer changes, all reports together cost " +
      "no more than a fixed ε. That the answer has changed may show.",
    one_report:
      "Everybody reports in one round of a window only, so that people can be invited by link.",
  },
  epsilonTitle: "ε: how much a report may tell",
  epsilonSlider: "ε, as a slider",
  epsilonWhy: "Small: more privacy, more error.",
  epsilonStates: "For all that a person sends in a window. Small: more privacy, more error.",
  lifetimeTitle: "ε of all reports of one answer together",
  lifetimeWhy: (twice: string) => `Left empty, it is twice the ε of one report: ${twice}.`,
  expectedPeople: "How many people will answer, about",
  peopleWhy: "Only to say what error to expect. It is not kept.",
  meaning: "What that means",
  noMeaning: "This is said as soon as the answers and ε are there.",
  errors: {
    choice: (people: string, error: string) =>
      `With ${people} people, a share is known to about ±${error} percentage points (95\u00a0% of the time).`,
    several: (people: string, error: string) =>
      `With ${people} people, a share is known to about ±${error} percentage points (95\u00a0% of the time).`,
    number: (people: string, error: string) =>
      `With ${people} people, the mean is known to about ±${error}\u00a0% of the range at worst (95\u00a0% of the ` +
      "time).",
    distribution: (people: string, error: string) =>
      `With ${people} people, the share of each bin is known to about ±${error} percentage points (95\u00a0% of ` +
      "the time).",
    questions: (people: string, error: string) =>
      `With ${people} people, a share is known to about ±${error} percentage points (95\u00a0% of the time), ` +
      "over all answers to all questions.",
    text: (people: string, error: string) =>
      `With ${people} people, a text that about ${error}\u00a0% of them answer has an even chance of being found, ` +
      "among a thousand candidates.",
    states: (people: string, error: string) =>
      `With ${people} people, the share in each round is known to about ±${error} percentage points (95\u00a0% ` +
      "of the time).",
  },
  parts: {
    questions: (parts: string, minimum: string, all: string) =>
      `Each of the ${parts} questions is shown from ${minimum} reports of its own on: about ${all} people in all.`,
    text: (parts: string, minimum: string, all: string) =>
      `Devices are divided at random into ${parts} groups, each shown from ${minimum} reports on: about ` +
      `${all} people are needed before anything is shown.`,
    states: (parts: string, minimum: string, all: string) =>
      `Each of the ${parts} rounds is shown from ${minimum} reports on: about ${all} reports in all.`,
  },
  size: (mechanism: string, bytes: string, count: number) =>
    `A report has ${bytes} ${count === 1 ? "byte" : "bytes"} (mechanism: ${mechanism}).`,
  noBrowser:
    "Browsers don’t speak this mechanism: people take part by the command line or an application, not " +
    "on the survey page.",
  again: "Ask again and again, in windows of time",
  againWhy: "Each window is counted by itself, and costs ε again.",
  againStates: "Rounds need windows: a window holds all of them.",
  windowLength: "A window lasts",
  windowWhy: "Windows begin with the day, in UTC; the current one is the first.",
  unit: "Unit",
  units: { minutes: "minutes", hours: "hours", days: "days" },
  minimum: "Show nothing below so many reports",
  minimumWhy: "So that nobody stands out.",
  byInvitation: "By invitation only",
  byInvitationWhy: "A report needs a link that you hand out, good for one report in each window.",
  makePublic: "Everybody may read the results",
  makePublicWhy: (minimum: string) =>
    `From ${minimum} reports on. Otherwise analysts alone; this can be changed at any time.`,
  keepReports: "Keep every report",
  keepReportsWhy: "As it was scrambled on its device. Otherwise only the sum is kept.",
  // By the field that is wrong: each says what is allowed.
  refusals: {
    question: "A question of at least one letter, on one line, without hidden characters.",
    name: "A name of at least one letter, on one line, without hidden characters.",
    answers:
      "At least two answers, each different, without hidden characters; over time exactly two states.",
    most: "A whole number, from 1 to how many answers there are.",
    range: "Two numbers such as 18 and 99, the larger one last.",
    step: "A number above 0 that divides the range, into at most about a million steps.",
    questions:
      "At least two questions, each with words, a name of its own and at least two different answers, " +
      "without hidden characters.",
    found_out: "This can’t be found out in so small a range.",
    rounds: "A whole number from 1 to about a million.",
    wants: "This can’t be had for such a question.",
    epsilon: "A number above 0, such as 0.5 or 2; not so small that no coin could keep it.",
    lifetime: "A number above the ε of one report, or nothing.",
    window: "A whole number above 0; over time, each round must last a whole number of seconds.",
    minimum_reports: "A whole number, 1 or more.",
    invited:
      "Here a person sends several reports in a window, and an invitation is good for one: choose “one report " +
      "from each”, or invite nobody.",
    people: "A whole number, 1 or more.",
  },
  manage: "Manage",
  takes: {
    open: "It takes reports.",
    paused: "It is paused: it takes no reports now.",
    closed: "It is closed: it takes no more reports.",
  },
  pause: "Pause",
  paused: (name: string) => `“${name}” is paused.`,
  resume: "Resume",
  resumed: (name: string) => `“${name}” takes reports again.`,
  closeForGood: "Close for good",
  closeAsk: "Close it for good?",
  closeWhy: (name: string) =>
    `“${name}” would never take a report again. What it has stays, and is shown if it is enough.`,
  closedNow: (name: string) => `“${name}” is closed.`,
  isPublic: "Everybody may read its results.",
  isNotPublic: "Analysts alone may read its results.",
  release: "Make the results public",
  releasedNow: (name: string) => `Everybody may read the results of “${name}” now.`,
  withhold: "Make the results private",
  withheldNow: (name: string) => `Analysts alone may read the results of “${name}” now.`,
  deleteOne: "Delete",
  deleteAsk: "Delete it, with all its reports?",
  deleteWhy: "The collection, its reports and its sums will be gone, and can’t be had again:",
  deleteName: "Type its name to delete it",
  deleteOther: "That isn’t its name.",
  deletedNow: (name: string) => `“${name}” is deleted.`,
  candidatesTitle: "Candidates",
  candidatesWhy:
    "Free text is decoded against texts that people may have answered. These replace the ones before.",
  candidatesText: "Candidates, one per line",
  candidatesFile: "Or from a text file, one per line",
  candidatesKeep: "Use these",
  candidatesKept: (name: string, count: string) =>
    `“${name}” is decoded against ${count} candidates now.`,
  lines: (lines: string, count: number) => `${lines} ${count === 1 ? "candidate" : "candidates"}`,
  invitations: "Invitations",
  invitationsWhy:
    "Each link is for one person, and good for one report in each window. Whoever hands the links out and " +
    "keeps a list could tell whose scrambled report is whose.",
  howMany: "How many",
  invite: "Make them",
  invited: (invitations: string, count: number) =>
    `${count === 1 ? "1 new invitation" : `${invitations} new invitations`}. Save ` +
    `${count === 1 ? "it" : "them"} now: ${count === 1 ? "it is" : "they are"} shown this once.`,
  links: "Links, one per line",
  linksWhy: "What stands after the # never reaches a server’s log.",
  copyAll: "Copy all",
  saveText: "Save as a text file",
  codes: "QR codes",
  codeOf: (number: number) => `QR code of invitation ${number}`,
  before: "Previous",
  next: "Next",
  tokens: "Tokens",
  tokensWhy: "Whoever has a token signs in with it. Give everybody their own, so that one can end.",
  tokenLabel: "Whose",
  tokenLabelWhy: "Such as a name or a program; shown in this list and to its bearer.",
  tokenRole: "Role",
  roleWhy: {
    admin: "May do everything.",
    analyst: "May read results, release them, and name candidates.",
    relay: "May send reports for many devices, and nothing else.",
  },
  tokenUntil: "Last day",
  tokenUntilWhy: "Left empty, the collector chooses, and says so.",
  neverEnds: "never expires",
  ownToken: "(yours)",
  makeToken: "Make a token",
  tokenOnce: "Copy it now: it is shown this once, and nobody can read it again.",
  tokenEnds: (moment: string) => `expires on ${moment}`,
  revoke: "Revoke",
  revokeIt: (label: string) => `Revoke ${label}`,
  revokeSurely: (label: string) => `Revoke for good: ${label}`,
  revokeYes: "Revoke for good",
  revoked: (label: string) => `${label} can’t sign in any more.`,
};

export type AdministrationWords = typeof words;
