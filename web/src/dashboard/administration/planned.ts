/** A new collection of a plan: what that has settled, and what is still to be said. */

import type { Kind } from "../../plan/fields";
import {
  BLANK,
  BLANK_QUESTION,
  answersOf,
  asking,
  wordsOf,
  type Asked,
  type Field,
  type Form,
  type Words,
} from "./wishes";

const ASKED: Readonly<Record<Exclude<Kind, "joint">, Asked>> = {
  choice: "choice",
  several: "several",
  number: "number",
  questions: "questions",
  text: "text",
  stream: "states",
};

/** What a plan has settled of the collection that it recommends. */
export interface Settled {
  /** The plan's query, in its own address. */
  readonly query: string;
  readonly plan: Readonly<Record<string, unknown>>;
  readonly asks: Asked;
  /** How many answers are to be named; null where none are. */
  readonly answers: number | null;
  /** Likewise of each of several questions. */
  readonly sizes: readonly number[];
  /** Whether people are asked again and again, in windows. */
  readonly isRepeated: boolean;
}

/** What the collector is asked for: docs/reference/http.md. */
export interface PlannedWishes extends Words {
  readonly plan: Settled["plan"];
}

const TEXTS = ["kind", "least", "largest", "step", "found_out"];

/** The wishes of a plan's query as JSON has them; whether they can be had, the collector says. */
export function wishesIn(query: string): Settled["plan"] {
  const values = Array.from(new URLSearchParams(query), ([name, said]) => {
    if (TEXTS.includes(name)) return [name, said] as const;
    if (name === "sizes") return [name, said.split(",").map(Number)] as const;
    return [name, said === "true" || Number(said)] as const;
  });
  return Object.fromEntries(values);
}

/** What the plan of a query has settled; null where no collection can be made of it. */
export function settledBy(query: string): Settled | null {
  const plan = wishesIn(query);
  const kind = `${plan["kind"]}`;
  if (!Object.hasOwn(ASKED, kind)) return null; // such as two parties: they agree on tables
  const asks = ASKED[kind as keyof typeof ASKED];
  const answers = asks === "states" ? 2 : ((plan["answers"] as number | undefined) ?? null);
  const sizes = (plan["sizes"] as readonly number[] | undefined) ?? [];
  const isRepeated = asks === "states" || plan["visits"] !== undefined;
  return { query, plan, asks, answers, sizes, isRepeated };
}

/** The form for a plan, in which nothing is said yet. */
export function formFor({ asks, sizes, isRepeated }: Settled): Form {
  const questions = sizes.map(() => BLANK_QUESTION);
  return { ...asking(BLANK, asks), questions, hasWindows: isRepeated };
}

/** The words of a form for the plan's collection, or the first field that doesn't fit it. */
export function plannedOf(form: Form, settled: Settled): PlannedWishes | Field {
  const words = wordsOf(form);
  if (typeof words === "string") return words;
  if (settled.answers !== null && words.answers.length !== settled.answers) return "answers";
  const isAsPlanned = words.questions?.every(
    ({ answers }, at) => answers.length === settled.sizes[at],
  );
  return isAsPlanned === false ? "questions" : { ...words, plan: settled.plan };
}

/** A form in which all that isn't said yet is numbered: what it means doesn't depend on words. */
export function standIn(form: Form, { answers, sizes }: Settled): Form {
  const numbered = (count: number): string =>
    Array.from({ length: count }, (_, at) => `#${at + 1}`).join("\n");
  const isNamed = answers !== null && answersOf(form.answers).length === answers;
  return {
    ...form,
    question: form.question || "…",
    name: form.name || "…",
    answers: isNamed ? form.answers : numbered(answers ?? 0),
    questions: form.questions.map((each, at) => ({
      question: each.question || "…",
      name: each.name || `#${at + 1}`,
      answers:
        answersOf(each.answers).length === sizes[at] ? each.answers : numbered(sizes[at] ?? 0),
    })),
  };
}

/** The address at which a form's collection can be planned; what can't be read is left to the page. */
export function planAddress(form: Form): string {
  const { asks, epsilon, people } = form;
  const [kind] = Object.entries(ASKED).find(([, each]) => each === asks) ?? ["choice"];
  const count = `${Math.max(2, answersOf(form.answers).length)}`;
  const sizes = form.questions.map(({ answers }) => Math.max(2, answersOf(answers).length));
  const { most, least, largest, step, foundOut: found_out, rounds } = form;
  const own: Readonly<Record<Asked, Readonly<Record<string, string>>>> = {
    choice: { answers: count },
    several: { answers: count, most },
    number: { least, largest, step, found_out },
    questions: { sizes: sizes.join(",") },
    text: {},
    states: { rounds },
  };
  return `/plan?${new URLSearchParams({ kind, ...own[asks], people, epsilon })}`;
}
