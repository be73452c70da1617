/**
 * Asking first whether a report would be taken: docs/reference/delivery.md.
 *
 * A report that was sent is paid for, whatever becomes of it: whoever refuses it has seen it. So a
 * page draws none before the collector says that it would take one.
 */

import { API, TIMEOUT } from "./deliver";
import { problemOf, type Problem } from "./problem";

export type Admission =
  | { readonly kind: "admitted" }
  | { readonly kind: "refused"; readonly problem: Problem }
  /** Nobody answers, or somebody who is no collector. */
  | { readonly kind: "unreachable" };

/** Whether a collector would take a report of a window now, sent with an invitation or without. */
export async function askAdmission(
  { collector, invitation }: { readonly collector: string; readonly invitation: string },
  key: string,
  window: number,
): Promise<Admission> {
  try {
    const response = await fetch(`${collector}/collections/${key}/admission?window=${window}`, {
      headers: invitation ? { "Sudare-Invitation": invitation } : {},
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (response.headers.get("Sudare-Api") !== API) return { kind: "unreachable" };
    if (response.ok) return { kind: "admitted" };
    return { kind: "refused", problem: await problemOf(response) };
  } catch {
    return { kind: "unreachable" };
  }
}
