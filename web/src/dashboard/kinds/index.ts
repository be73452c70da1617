/** The kinds of questions, as the dashboard shows them: a line for each. */

import type { Estimate, Standing } from "../../collector/api";
import { choice } from "./choice";
import { distribution } from "./distribution";
import type { Kind } from "./interface";
import { number } from "./number";
import { other } from "./other";
import { selection } from "./selection";
import { several } from "./several";
import { states } from "./states";
import { text } from "./text";

/** What may be found out of numbers. */
const NUMBERS: ReadonlyMap<string, Kind> = new Map([
  ["mean", number],
  ["distribution", distribution],
]);

/**
 * The kind of question that a collection asks, as its collector says; `other` if the page knows no
 * such kind, or the estimate has no rows of it: the collector may be newer than the page.
 */
export function kindOf(standing: Standing, estimate: Estimate | null = null): Kind {
  const kind = statedKind(standing);
  return estimate && !(kind.rows in estimate) ? other : kind;
}

function statedKind({
  free_text,
  over_time,
  several: selects,
  questions,
  number: found,
}: Standing): Kind {
  if (free_text && over_time) return other;
  if (free_text) return text;
  if (over_time) return states;
  if (selects) return selection;
  if (questions) return several;
  if (found !== undefined) return NUMBERS.get(found) ?? other;
  return choice;
}
