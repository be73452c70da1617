/** What somebody wishes of a plan, as it is typed, in the address of the page, and for the collector. */

import type { Way } from "../collector/problem";
import { typed, upTo } from "../page/numbers";
import type { Plan } from "./answer";
import {
  FIELDS,
  FOUND,
  GOALS,
  KINDS,
  NEEDED,
  OWN,
  furtherOf,
  goalsOf,
  nameOf,
  type Field,
  type Found,
  type Goal,
  type Kind,
} from "./fields";

/** All that can be set: what is typed for another kind is kept for when it comes back. */
export interface Wishes {
  readonly kind: Kind;
  readonly found: Found;
  /** What is aimed at where the error isn't what is found. */
  readonly goal: Goal;
  readonly values: Readonly<Record<Field, string>>;
}

/** What is proposed: how many people it takes to know ten answers. */
export const FIRST: Wishes = {
  kind: "choice",
  found: "people",
  goal: "error",
  values: Object.fromEntries(
    Object.entries(FIELDS).map(([field, { usual }]) => [field, usual]),
  ) as Record<Field, string>,
};

/** Whether a mean is asked for, which has no shares to be seen. */
export function isMean({ kind, values }: Wishes): boolean {
  return kind === "number" && values.found_out === "mean";
}

/** Whether errors are in the unit of the numbers that people have, not shares. */
export function isInNumbers(wishes: Wishes): boolean {
  return isMean(wishes) || (wishes.kind === "joint" && wishes.values.most_each !== "1");
}

/** What is aimed at: an error, where that is found or the kind has nothing else. */
export function goalOf(wishes: Wishes): Goal {
  const { found, goal, kind } = wishes;
  return found !== "error" && goalsOf(kind, isMean(wishes)).includes(goal) ? goal : "error";
}

/** Where the value of a goal is typed. */
export function fieldOf(wishes: Wishes, goal: Goal): Field {
  return isInNumbers(wishes) ? `${goal}_number` : goal;
}

/** The wishes that are given, in the order of an address. */
export function givenFields(wishes: Wishes): readonly Field[] {
  const { kind, found, values } = wishes;
  const isUsual = (field: Field): boolean =>
    !NEEDED.includes(field) && values[field].trim() === FIELDS[field].usual;
  const own = OWN[kind].filter((field) => field !== "bins" || !isMean(wishes));
  const two: Field[] = [];
  if (found !== "people") two.push("people");
  if (found !== "epsilon") two.push("epsilon");
  if (found !== "error") two.push(fieldOf(wishes, goalOf(wishes)));
  const further = furtherOf(kind, isMean(wishes)).filter(
    (field) => field !== "changes" || Number(values.visits) > 1,
  );
  return [
    ...own.filter((field) => !isUsual(field)),
    ...two,
    ...further.filter((field) => !isUsual(field)),
  ];
}

/**
 * The wishes with something else to be found. What was found so far is given from now on, so that the
 * plan stays the one that it was.
 */
export function finding(wishes: Wishes, found: Found, plan: Plan | null): Wishes {
  const values = { ...wishes.values };
  const goal = wishes.goal;
  const reached = plan?.recommended[goal] ?? null;
  if (plan && wishes.found === "people") values.people = `${plan.recommended.people}`;
  if (plan && wishes.found === "epsilon") values.epsilon = plainNumber(plan.recommended.epsilon);
  if (wishes.found === "error" && reached !== null) {
    const field = fieldOf(wishes, goal);
    const unit = FIELDS[field].form === "percent" ? 100 : 1;
    values[field] = plainNumber(Number(upTo(unit * reached, 3)));
  }
  return { ...wishes, found, values };
}

/** The wishes by a way out of a refusal; null if it leads to something that can't be set here. */
export function following(wishes: Wishes, way: Way): Wishes | null {
  const values = { ...wishes.values };
  const known = [...givenFields(wishes), ...furtherOf(wishes.kind, isMean(wishes))];
  for (const [name, value] of Object.entries(way)) {
    const field = known.find((each) => nameOf(each) === name);
    const text = field && typedOf(field, plainNumber(value));
    if (!field || !text) return null;
    values[field] = text;
  }
  return { ...wishes, values };
}

/** The wishes as a query, of the page and of the collector; or the fields that can't be read. */
export function queryOf(wishes: Wishes): string | readonly Field[] {
  const query = new URLSearchParams({ kind: wishes.kind });
  const wrong: Field[] = [];
  for (const field of givenFields(wishes)) {
    const said = saidOf(field, wishes.values[field]);
    if (said === null) wrong.push(field);
    else query.set(nameOf(field), said);
  }
  // Commas may stand in a query, and are easier to read.
  return wrong.length > 0 ? wrong : `${query}`.replaceAll("%2C", ",");
}

/** A wish as a plan has it, from how it is typed; null if it can't be read. */
export function saidOf(field: Field, text: string): string | null {
  const { form, above = -Infinity, from = above, below = Infinity, to = below } = FIELDS[field];
  const plain = typed(text);
  if (form === "flag") return plain === "" ? null : "true";
  if (form === "finding") return ["mean", "distribution"].includes(plain) ? plain : null;
  if (form === "sizes") {
    const sizes = plain.split(/[\s,、]+/).filter((size) => size !== "");
    const isGood = sizes.length >= 2 && sizes.every((size) => /^[1-9]\d{0,6}$/.test(size));
    return isGood && sizes.every((size) => Number(size) >= 2) ? sizes.join(",") : null;
  }
  const shape = form === "whole" ? /^\d{1,13}$/ : /^-?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/;
  if (!shape.test(plain)) return null;
  const value = Number(plain);
  if (value <= above || value < from || value > to || value >= below) return null;
  return form === "percent" ? shifted(plain, -2) : tidied(plain);
}

/** How a wish of a plan is typed; null if it can't be read. */
export function typedOf(field: Field, said: string): string | null {
  const { form } = FIELDS[field];
  let text = said.trim();
  if (form === "flag") return { true: "yes", false: "" }[text] ?? null;
  if (form === "percent" || form === "number") {
    if (/^[0-9.]+e-?\d{1,2}$/i.test(text)) text = plainNumber(Number(text));
    if (!/^\d*\.?\d*$/.test(text) || !/\d/.test(text)) return null;
    if (form === "percent") text = shifted(text, 2);
  }
  return saidOf(field, text) === null ? null : tidied(text);
}

/** A decimal without zeros that say nothing. */
function tidied(text: string): string {
  const found = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(text);
  if (!found) return text;
  const [, sign = "", whole = "", part = ""] = found;
  return `${sign}${whole === "" ? "0" : whole}${part === "" ? "" : `.${part}`}`;
}

/** A decimal times a power of ten, digit by digit: 28.5 as 0.285, and never 0.28500000000000003. */
export function shifted(text: string, places: number): string {
  const [whole = "", part = ""] = text.split(".");
  const digits = `${"0".repeat(20)}${whole}${part}${"0".repeat(20)}`;
  const point = 20 + whole.length + places;
  return tidied(`${digits.slice(0, point)}.${digits.slice(point)}`);
}

/** A number as a decimal, without exponents or groups. */
export function plainNumber(value: number): string {
  const format = { useGrouping: false, maximumSignificantDigits: 15 } as const;
  return value.toLocaleString("en", format);
}

/** What an address says, and what of it can't be read. */
export interface Read {
  readonly wishes: Wishes;
  /** The names of what is unknown or can't be read, as they stand there. */
  readonly strange: readonly string[];
}

/** The wishes of an address's query. What it leaves out is as it is proposed. */
export function readQuery(query: string): Read {
  const given = new URLSearchParams(query);
  const strange = new Set<string>();
  const named = given.get("kind");
  const kind = KINDS.find((each) => each === named) ?? FIRST.kind;
  if (named !== null && named !== kind) strange.add("kind");
  const values = { ...FIRST.values };
  let wishes: Wishes = { ...FIRST, kind, values };
  const take = (field: Field): boolean => {
    const name = nameOf(field);
    const [said, ...more] = given.getAll(name);
    if (said === undefined) return false;
    const text = more.length > 0 ? null : typedOf(field, said);
    if (text === null) strange.add(name);
    else values[field] = text;
    given.delete(name);
    return text !== null;
  };

  given.delete("kind");
  OWN[kind].forEach(take); // which say what of the others there can be
  const [people, epsilon] = [take("people"), take("epsilon")];
  const [goal, ...others] = GOALS.filter((each) => given.has(each));
  const goals = goalsOf(kind, isMean(wishes));
  const isAimed = goal !== undefined && goals.includes(goal) && take(fieldOf(wishes, goal));
  if (people && epsilon && isAimed) strange.add(goal); // one too many
  for (const other of others) strange.add(other);
  const found = FOUND[[people, epsilon, isAimed].indexOf(false)];
  wishes = { ...wishes, found: people && epsilon ? "error" : (found ?? "error") };
  if (isAimed) wishes = { ...wishes, goal };
  furtherOf(kind, isMean(wishes)).forEach(take);
  for (const name of given.keys()) strange.add(name);
  return { wishes, strange: [...strange] };
}
