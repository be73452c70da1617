/** What of a collector is looked at, as it stands in the page's address: no token is ever in it. */

export interface Place {
  readonly key: string;
  /** A window's number, `latest` or `all`. */
  readonly window: string;
}

/** The query of a plan whose collection is to be made: `#plan?kind=choice&…`; null for none. */
export function planIn(hash: string): string | null {
  return /^#plan\?(.*)$/.exec(hash)?.[1] ?? null;
}

/** The place that the end of an address names: `#key`, `#key/3`, `#key/all`. */
export function placeOf(hash: string): Place {
  if (planIn(hash) !== null) return { key: "", window: "latest" };
  const [key = "", window = ""] = hash.replace(/^#/, "").split("/");
  return { key, window: /^(\d{1,15}|all)$/.test(window) ? window : "latest" };
}

/** The end of an address that leads to a place. */
export function hashOf({ key, window }: Place): string {
  return window === "latest" ? `#${key}` : `#${key}/${window}`;
}

/** The whole address of a place on this page, fit to be passed on. */
export function addressOf(place: Place): string {
  return `${location.origin}${location.pathname}${hashOf(place)}`;
}
