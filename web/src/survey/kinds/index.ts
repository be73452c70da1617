/** The kinds of questions, as a survey asks them: a line for each. */

import { SquareWave, type Collection } from "../../device";
import { choice } from "./choice";
import type { Kind } from "./interface";
import { distribution, number } from "./number";
import { selection } from "./selection";
import { several } from "./several";
import { states } from "./states";
import { text } from "./text";

/**
 * The kind of question that a collection asks, by its own document. There is no other: a document
 * of a mechanism that browsers don't speak was refused when it was read, and the page has said so.
 */
export function kindOf(collection: Collection): Kind {
  if (collection.freeText) return text;
  if (collection.several) return selection;
  if (collection.mechanism instanceof SquareWave) return distribution;
  if (collection.range) return number;
  if (collection.atOnce) return several;
  if (collection.overTime) return states;
  return choice;
}
