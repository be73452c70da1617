/** A new collection of a plan: what that has settled, and what is still to be said. */

import type { Kind } from "../../plan/fields";
import { FIRST, planOf, queryOf, readQuery } from "../../plan/wishes";
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

/** What the plan of a query has settled; null where no collection can be made of it. */
export function settledBy(query: string): Settled | null {
  const { wishes } = readQuery(query);
  const { kind } = wishes;
  if (kind === "joint" || typeof queryOf(wishes) !== "string") return null;
  const plan = planOf(wishes);
  const count = kind === "stream" ? 2 : ((plan["answers"] as number | undefined) ?? null);
  return {
    query,
    plan,
    asks: ASKED[kind],
    answers: count,
    sizes: (plan["sizes"] as readonly number[] | undefined) ?? [],
    isRepeated: kind === "stream" || plan["visits"] !== undefined,
  };
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
    Array.from({ length: count }, (_, at) => `${at + 1}`).join("\n");
  const isNamed = answers !== null && answersOf(form.answers).length === answers;
  return {
    ...form,
    question: form.question || "…",
    name: form.name || "…",
    answers: isNamed ? form.answers : numbered(answers ?? 0),
    questions: form.questions.map((each, at) => ({
      question: each.question || "…",
      name: each.name || `${at + 1}`,
      answers:
        answersOf(each.answers).length === sizes[at] ? each.answers : numbered(sizes[at] ?? 0),
    })),
  };
}

/** The address at which a form's collection can be planned. */
export function planAddress(form: Form): string {
  const kinds = Object.entries(ASKED) as [Kind, Asked][];
  const [kind] = kinds.find(([, asks]) => asks === form.asks) ?? [FIRST.kind];
  const { most, least, largest, step, rounds, epsilon, people } = form;
  const count = answersOf(form.answers).length;
  const sizes = form.questions.map(({ answers }) => answersOf(answers).length);
  const said = {
    ...{ most, least, largest, step, rounds, epsilon, people },
    found_out: form.foundOut,
    ...(count > 1 && { answers: `${count}` }),
    ...(sizes.every((size) => size > 1) && { sizes: sizes.join(",") }),
  };
  const query = queryOf({ ...FIRST, kind, found: "error", values: { ...FIRST.values, ...said } });
  return typeof query === "string" ? `/plan?${query}` : "/plan";
}
