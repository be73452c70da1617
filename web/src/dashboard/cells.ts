/** What stands in tables of results. */

import { percent } from "../page/numbers";
import type { Words } from "./language";

/** A share in per cent, or that there is none. */
export function shareOr(words: Words, share: number | null, decimals?: number): string {
  return share === null ? words.noEstimate : words.percent(percent(share, decimals));
}

/** A confidence level in per cent, with as few digits as it needs. */
export function levelText(level: number): string {
  return `${Number((100 * level).toFixed(2))}`;
}
