/** Invitations as links to the survey page, which has them after the #: browsers never send that. */

/** The address at which an invited person answers. */
export function linkOf(origin: string, key: string, invitation: string): string {
  return `${origin}/s/${key}#invitation=${invitation}`;
}

/** A page of a list: some of its items, and the number of the first, from 0. */
export function pageOf<Item>(
  items: readonly Item[],
  page: number,
  size: number,
): { readonly first: number; readonly items: readonly Item[]; readonly last: boolean } {
  const first = page * size;
  return { first, items: items.slice(first, first + size), last: first + size >= items.length };
}

/** A QR code's dark squares as the path of an SVG, in units of a square. */
export function pathOf(rows: readonly (readonly boolean[])[]): string {
  let path = "";
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const start = x;
      while (row[x + 1]) x++;
      path += `M${start} ${y}h${x - start + 1}v1h-${x - start + 1}z`;
    }
  });
  return path;
}
