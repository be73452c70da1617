/** The invitation in an address: after the #, which browsers never send. */

/** The token of `#invitation=…`; empty if there is none that could be a header. */
export function invitationOf(hash: string): string {
  const token = new URLSearchParams(hash.slice(1)).get("invitation") ?? "";
  return /^[\x21-\x7e]{1,500}$/.test(token) ? token : "";
}
