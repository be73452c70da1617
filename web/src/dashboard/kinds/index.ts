/** The kinds of questions, as the dashboard shows them: a line for each. */

import type { Standing } from "../../collector/api";
import { choice } from "./choice";
import type { Kind } from "./interface";
import { states } from "./states";
import { text } from "./text";

/** The kind of question that a collection asks, as its collector says. */
export function kindOf(standing: Standing): Kind {
  if (standing.free_text) return text;
  if (standing.over_time) return states;
  return choice;
}
