/** Long lists: in which order, what of them was searched for, and how much is shown. */

/** A row that has a name and a share. */
export interface Listed {
  readonly label: string;
  readonly share: number;
}

/** By share, by name, or as the question lists them. */
export type Order = "share" | "name" | "given";
export const ORDERS: readonly Order[] = ["share", "name", "given"];

/** How a list is looked at. */
export interface Lens {
  readonly order: Order;
  readonly search: string;
  /** Whether all of it is shown. */
  readonly open: boolean;
}

/** So many of a long list are shown, and a list that is hardly longer is shown whole. */
export const FOLDED = 12;
const LONG = 15;

/** Whether a list of so many is too long to be seen at once. */
export function isLong(count: number): boolean {
  return count > LONG;
}

/** A short list as the question has it, a long one with the largest first. */
export function firstLook(count: number): Lens {
  return { order: isLong(count) ? "share" : "given", search: "", open: false };
}

/** Rows in an order, those that were searched for. */
export function arranged<Row extends Listed>(
  rows: readonly Row[],
  { order, search }: Lens,
  locale: string,
): readonly Row[] {
  const wanted = plain(search.trim());
  const found = rows.filter(({ label }) => plain(label).includes(wanted));
  if (order === "share") return found.sort((a, b) => b.share - a.share);
  if (order === "given") return found;
  const names = new Intl.Collator(locale, { numeric: true });
  return found.sort((a, b) => names.compare(a.label, b.label));
}

/** Those of a list that are shown: the first few of a long one, until it is opened. */
export function folded<Row>(rows: readonly Row[], { open }: Lens): readonly Row[] {
  return open || !isLong(rows.length) ? rows : rows.slice(0, FOLDED);
}

/** A text as it is compared: neither case nor accents nor the width of letters tell texts apart. */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
