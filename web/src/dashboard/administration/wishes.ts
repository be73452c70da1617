/** What an administrator wishes a new collection to be, from the form to the collector. */

import { typed } from "../../page/numbers";

/** What people are asked for. */
export type Asked = "choice" | "several" | "questions" | "number" | "text" | "states";
/** What a mechanism is chosen for; the collector knows which one it is. */
export type Wanted =
  | "least_error"
  | "association"
  | "small_reports"
  | "permanent_noise"
  | "changing_answers"
  | "one_report";
/** What is to be estimated of numbers; the first is proposed. */
export const FOUND_OUT = ["mean", "distribution"] as const;
export type FoundOut = (typeof FOUND_OUT)[number];

/** What can be wanted of each kind of question; the first is proposed. */
export const WANTS: Readonly<Record<Asked, readonly Wanted[]>> = {
  choice: ["least_error", "small_reports", "permanent_noise", "changing_answers"],
  several: ["least_error"],
  number: ["least_error"],
  questions: ["least_error", "association"],
  text: ["permanent_noise"],
  states: ["least_error", "one_report"],
};

/** Those for which noise stays, so that there is an ε of all reports of one answer. */
export const LASTING: readonly Wanted[] = ["permanent_noise", "changing_answers"];

export const UNITS = { minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;

/** One of several questions, as it is filled in: its answers one per line. */
export interface QuestionForm {
  readonly name: string;
  readonly question: string;
  readonly answers: string;
}

export const BLANK_QUESTION: QuestionForm = { name: "", question: "", answers: "" };

/** The form as it is filled in: texts, as people type them. */
export interface Form {
  readonly asks: Asked;
  readonly question: string;
  readonly name: string;
  readonly answers: string;
  readonly questions: readonly QuestionForm[];
  readonly most: string;
  readonly least: string;
  readonly largest: string;
  readonly step: string;
  readonly foundOut: FoundOut;
  readonly rounds: string;
  readonly wants: Wanted;
  readonly epsilon: string;
  readonly lifetime: string;
  readonly hasWindows: boolean;
  readonly window: string;
  readonly unit: Unit;
  readonly minimum: string;
  readonly people: string;
  readonly invited: boolean;
  readonly isPublic: boolean;
  readonly keepsReports: boolean;
}

export const BLANK: Form = {
  asks: "choice",
  question: "",
  name: "",
  answers: "",
  questions: [BLANK_QUESTION, BLANK_QUESTION],
  most: "3",
  least: "0",
  largest: "100",
  step: "1",
  foundOut: "mean",
  rounds: "24",
  wants: "least_error",
  epsilon: "1",
  lifetime: "",
  hasWindows: false,
  window: "1",
  unit: "days",
  minimum: "100", // as the collector's default: sudare/collection/defaults.py
  people: "1000",
  invited: false,
  isPublic: false,
  keepsReports: false,
};

/** What people read, and the rules by which reports are taken and released. */
export interface Words {
  readonly name: string;
  readonly question: string;
  readonly answers: readonly string[];
  /** Only where several are asked at once. */
  readonly questions?: readonly {
    readonly name: string;
    readonly question: string;
    readonly answers: readonly string[];
  }[];
  readonly window: number | null;
  readonly minimum_reports: number;
  readonly keeps_reports: boolean;
  readonly invited: boolean;
}

/** What the collector is asked for: docs/reference/http.md. */
export interface Wishes extends Words {
  readonly asks: Asked;
  readonly most: number | null;
  readonly step: string | null;
  readonly found_out: FoundOut | null;
  readonly rounds: number | null;
  readonly wants: Wanted;
  readonly epsilon: number;
  readonly lifetime: number | null;
  readonly people: number;
}

/** The collector's answer: the document that would be held, and what it means. */
export interface Draft {
  readonly document: string;
  readonly key: string;
  readonly label: {
    readonly mechanism: string;
    readonly epsilon: number;
    readonly lifetime_epsilon: number | null;
    readonly promise: string;
    readonly odds: string;
    readonly report_bytes: number;
    readonly parts: number;
    readonly people: number;
    readonly error: number | null;
  };
}

/** A field of the form, by the name of its wish. */
export type Field =
  | "question"
  | "name"
  | "answers"
  | "questions"
  | "most"
  | "range"
  | "step"
  | "found_out"
  | "rounds"
  | "wants"
  | "epsilon"
  | "lifetime"
  | "window"
  | "minimum_reports"
  | "invited"
  | "people";

/** The form for another kind of question, with what is proposed for it. */
export function asking(form: Form, asks: Asked): Form {
  const wants = WANTS[asks][0] as Wanted;
  return { ...form, asks, wants, hasWindows: form.hasWindows || asks === "states" };
}

/** Answers, one per line; lines without any letter are none. */
export function answersOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Several questions, or null if one of them can't be asked so. */
function questionsOf(form: Form): Wishes["questions"] | null {
  const questions = form.questions.map(({ name, question, answers }) => ({
    name: name.trim(),
    question: question.trim(),
    answers: answersOf(answers),
  }));
  const isWhole = questions.every(
    ({ name, question, answers }) =>
      name !== "" &&
      question !== "" &&
      answers.length >= 2 &&
      new Set(answers).size === answers.length,
  );
  const names = new Set(questions.map(({ name }) => name));
  return isWhole && questions.length >= 2 && names.size === questions.length ? questions : null;
}

const WHOLE = /^[1-9][0-9]{0,14}$/;
const DECIMAL = /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/;
const NUMBER = /^(?=.*[1-9])[0-9]{0,6}\.?[0-9]{0,12}$/;

/** The words and rules of a form, or the first field that can't be read. */
export function wordsOf(form: Form): Words | Field {
  const { asks } = form;
  const [question, name] = [form.question.trim(), form.name.trim()];
  if (question === "") return "question";
  if (name === "") return "name";
  const isListed = !["text", "questions", "number"].includes(asks);
  const answers = isListed ? answersOf(form.answers) : [];
  if (isListed && (answers.length < 2 || new Set(answers).size < answers.length)) return "answers";
  const questions = asks === "questions" ? questionsOf(form) : undefined;
  if (questions === null) return "questions";
  if (form.hasWindows && !WHOLE.test(form.window)) return "window";
  if (!WHOLE.test(form.minimum)) return "minimum_reports";
  return {
    name,
    question,
    answers,
    ...(questions && { questions }),
    window: form.hasWindows ? Number(form.window) * UNITS[form.unit] : null,
    minimum_reports: Number(form.minimum),
    keeps_reports: form.keepsReports,
    invited: form.invited,
  };
}

/** The wishes of a form, or the first field that can't be read. */
export function wishesOf(form: Form): Wishes | Field {
  const { asks, wants } = form;
  const words = wordsOf(form);
  if (typeof words === "string") return words;
  const [least, largest, step] = [typed(form.least), typed(form.largest), typed(form.step)];
  if (asks === "number") {
    if (![least, largest].every((end) => DECIMAL.test(end))) return "range";
    if (Number(least) >= Number(largest)) return "range";
    if (!DECIMAL.test(step)) return "step";
  }
  const answers = asks === "number" ? [least, largest] : words.answers;
  if (asks === "several" && !(WHOLE.test(form.most) && Number(form.most) <= answers.length)) {
    return "most";
  }
  if (asks === "states" && !WHOLE.test(form.rounds)) return "rounds";
  if (!NUMBER.test(form.epsilon)) return "epsilon";
  const isForLife = LASTING.includes(wants) && form.lifetime !== "";
  if (isForLife && !NUMBER.test(form.lifetime)) return "lifetime";
  if (!WHOLE.test(form.people)) return "people";
  return {
    ...words,
    answers,
    asks,
    most: asks === "several" ? Number(form.most) : null,
    step: asks === "number" ? step : null,
    found_out: asks === "number" ? form.foundOut : null,
    rounds: asks === "states" ? Number(form.rounds) : null,
    wants,
    epsilon: Number(form.epsilon),
    lifetime: isForLife ? Number(form.lifetime) : null,
    people: Number(form.people),
  };
}

const FIELDS: readonly Field[] = [
  "question",
  "name",
  "answers",
  "questions",
  "most",
  "range",
  "step",
  "found_out",
  "rounds",
  "wants",
  "epsilon",
  "lifetime",
  "window",
  "minimum_reports",
  "invited",
  "people",
];

/** The field that a refusal of the collector is about; null if it is about none. */
export function fieldOf(code: string, asks: Asked): Field | null {
  const field = FIELDS.find((field) => code === `draft_${field}`) ?? null;
  // The answers of a number are the ends of its range.
  return field === "answers" && asks === "number" ? "range" : field;
}
