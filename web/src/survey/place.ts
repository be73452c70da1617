/** Where a survey page is: whose program it is, who gets the reports, what its address stands for. */

/** The two hosts of a survey, which may be one, and what the link asked for. */
export interface Place {
  /** The origin that has served this page's program. */
  readonly host: string;
  /** The origin of the collector, which gets the reports. */
  readonly collector: string;
  /** The collection's key; empty if the link says none. */
  readonly key: string;
  /** The token that the report is sent with; empty if there is none. */
  readonly invitation: string;
}

/**
 * A collector serves its page at /s/ and the key. A page hosted elsewhere was written for one
 * collector, and its links say the key after the #, which browsers never send: `#key=…`. So do
 * invitations in both: `#invitation=…`.
 */
export function placeOf(
  { origin, pathname, hash }: Pick<Location, "origin" | "pathname" | "hash">,
  writtenFor: string | null,
): Place {
  const said = new URLSearchParams(hash.slice(1));
  const [, key = ""] = /^\/s\/([^/]+)$/.exec(pathname) ?? [];
  const token = said.get("invitation") ?? "";
  const invitation = /^[\x21-\x7e]{1,500}$/.test(token) ? token : ""; // it must fit into a header
  if (writtenFor === null) return { host: origin, collector: origin, key, invitation };
  return { host: origin, collector: writtenFor, key: said.get("key") ?? "", invitation };
}

/** Whether somebody other than the collector has served the page. */
export function isHostedElsewhere({ host, collector }: Place): boolean {
  return host !== collector;
}
