/**
 * Names of files that the page makes, by the rule of `results/file_names.py`: the study's
 * name, and the day or hour of its window in UTC. tests/golden/file_names.json holds both to it.
 */

import type { Windows } from "../device";

const LONGEST = 60; // characters of a study's name
const DAY = 86_400;
const MINUTE = 60;

/** A study, as far as its files are named after it. */
export interface Study {
  readonly name: string;
  readonly key: string;
  readonly schedule: Windows | null;
}

/** The name of a file without its ending; `now` (Unix time) dates what is of no single window. */
export function fileStem(study: Study, window: number | "all", now: number): string {
  const { schedule } = study;
  const name = words(study.name) || study.key.slice(0, 12);
  if (window === "all") return `${name}-all-${iso(now).slice(0, 10)}`;
  if (!schedule) return `${name}-${iso(now).slice(0, 10)}`;
  const start = schedule.start + window * schedule.seconds;
  const is = (unit: number): boolean => start % unit === 0 && schedule.seconds % unit === 0;
  if (is(DAY)) return `${name}-${iso(start).slice(0, 10)}`;
  return `${name}-${iso(start)
    .slice(0, is(MINUTE) ? 16 : 19)
    .replaceAll(":", "")}Z`;
}

function iso(moment: number): string {
  return new Date(Math.floor(moment) * 1000).toISOString();
}

/** A text's letters and digits, of any script, with a hyphen for all between them. */
function words(name: string): string {
  const found = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [...found.join("-")].slice(0, LONGEST).join("").replace(/-$/, "");
}
