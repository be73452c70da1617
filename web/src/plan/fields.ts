/**
 * What a plan is asked for: each wish as it is typed, and which kinds of question have it. Names are
 * those of `GET /plans`: docs/reference/http.md.
 */

export const KINDS = [
  "choice",
  "several",
  "number",
  "questions",
  "text",
  "stream",
  "joint",
] as const;
export type Kind = (typeof KINDS)[number];

/** What is aimed at: an error, or the smallest share or difference that will be seen. */
export const GOALS = ["error", "smallest_share", "difference"] as const;
export type Goal = (typeof GOALS)[number];

/** Of these, two are given and one is found. */
export const FOUND = ["people", "epsilon", "error"] as const;
export type Found = (typeof FOUND)[number];

/** Where a wish is typed. A name of two meanings, such as an error in per cent or in years, has two. */
export type Field =
  | "answers"
  | "most"
  | "least"
  | "largest"
  | "step"
  | "found_out"
  | "bins"
  | "sizes"
  | "associate"
  | "candidates"
  | "false_discoveries"
  | "rounds"
  | "low"
  | "high"
  | "most_each"
  | "delta"
  | "people"
  | "epsilon"
  | Goal
  | `${Goal}_number`
  | "level"
  | "power"
  | "response_rate"
  | "share"
  | "compare"
  | "visits"
  | "changes"
  | "population"
  | "most_bytes";

/** Numbers that a slider goes through. */
export interface Range {
  readonly from: number;
  readonly to: number;
  /** Whether it goes by factors, not by equal steps. */
  readonly isLog: boolean;
  readonly isWhole: boolean;
}

/** How a wish is read: what stands for it in a plan, and which texts do. */
export type Form = "whole" | "number" | "percent" | "decimal" | "sizes" | "flag" | "finding";

/** Where a number has to lie, as it is typed. */
interface Bounds {
  readonly above?: number;
  readonly from?: number;
  readonly to?: number;
  readonly below?: number;
}

interface Meant extends Bounds {
  readonly form: Form;
  /** What is proposed; for a wish that needn't be given, what it is then. Empty for nothing. */
  readonly usual: string;
  readonly slider?: Range;
}

const log = (from: number, to: number, isWhole = false): Range => ({
  from,
  to,
  isLog: true,
  isWhole,
});
const percent = (usual: string, bounds: Bounds = { above: 0, below: 100 }): Meant => ({
  form: "percent",
  usual,
  ...bounds,
});
const number = (usual: string, bounds: Bounds): Meant => ({ form: "number", usual, ...bounds });
const whole = (usual: string, from: number, to: number): Meant => ({
  form: "whole",
  usual,
  from,
  to,
});

const MOST_PEOPLE = 1e12; // as sudare/mechanisms/domain.py has it, and those below
export const FIELDS: Readonly<Record<Field, Meant>> = {
  answers: { ...whole("10", 2, 1 << 24), slider: log(2, 1000, true) },
  most: {
    ...whole("3", 1, 1 << 16),
    slider: { from: 1, to: 20, isLog: false, isWhole: true },
  },
  least: { form: "decimal", usual: "18" },
  largest: { form: "decimal", usual: "99" },
  step: { form: "decimal", usual: "1" },
  found_out: { form: "finding", usual: "mean" },
  bins: whole("", 2, 1 << 10),
  sizes: { form: "sizes", usual: "3,5,2" },
  associate: { form: "flag", usual: "" },
  candidates: { ...whole("1000", 1, 1e12), slider: log(10, 1_000_000, true) },
  false_discoveries: percent("5"),
  rounds: { ...whole("24", 1, 1 << 20), slider: log(1, 1000, true) },
  low: percent("0", { from: 0, to: 100 }),
  high: percent("100", { from: 0, to: 100 }),
  most_each: whole("1", 1, 1 << 24),
  delta: number("0.000001", { above: 0, below: 0.5 }),
  people: { ...whole("10000", 1, MOST_PEOPLE), slider: log(10, 10_000_000, true) },
  epsilon: { ...number("1", { above: 0, to: 20 }), slider: log(0.1, 8) },
  error: { ...percent("2"), slider: log(0.1, 20) },
  smallest_share: { ...percent("3"), slider: log(0.1, 50) },
  difference: { ...percent("5"), slider: log(0.1, 50) },
  error_number: number("1", { above: 0, to: 1e15 }),
  smallest_share_number: number("2", { above: 0, to: 1e15 }),
  difference_number: number("3", { above: 0, to: 1e15 }),
  level: percent("95"),
  power: percent("80", { from: 50, below: 100 }),
  response_rate: percent("100", { above: 0, to: 100 }),
  share: percent("0", { from: 0, below: 100 }),
  compare: percent(""),
  visits: whole("1", 1, 10_000),
  changes: whole("", 0, 9_999),
  population: { form: "flag", usual: "" },
  most_bytes: whole("128", 1, 1e9),
};

/** The wishes that only a kind has, and those of them that a plan can't be without. */
export const OWN: Readonly<Record<Kind, readonly Field[]>> = {
  choice: ["answers"],
  several: ["answers", "most"],
  number: ["least", "largest", "step", "found_out", "bins"],
  questions: ["sizes", "associate"],
  text: ["candidates", "false_discoveries"],
  stream: ["rounds", "low", "high"],
  joint: ["most_each", "delta"],
};
export const NEEDED: readonly Field[] = [
  ...(["answers", "most", "least", "largest", "step", "sizes", "rounds"] as const),
];

/** The wishes besides that a plan of some question can have. */
export function furtherOf(kind: Kind, isMean: boolean): readonly Field[] {
  const sure = ["level", "power"] as const;
  const asked = ["visits", "changes"] as const;
  const all = ["response_rate", "most_bytes"] as const;
  switch (kind) {
    case "stream":
      return all;
    case "text":
      return [...asked, ...sure, ...all];
    case "joint":
      return ["compare", "visits", ...sure, ...all];
    default:
      if (isMean) return ["compare", ...asked, ...sure, ...all];
      return ["share", "compare", ...asked, "population", ...sure, ...all];
  }
}

/** What a plan of some question can aim at. */
export function goalsOf(kind: Kind, isMean: boolean): readonly Goal[] {
  if (kind === "stream") return ["error"];
  if (kind === "text") return ["error", "smallest_share"];
  return isMean ? ["error", "difference"] : GOALS;
}

/** The name that a wish has in a plan. */
export function nameOf(field: Field): string {
  return field === "most_each" ? "most" : field.replace(/_number$/, "");
}
