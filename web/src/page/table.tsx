/** Numbers in a table. */

import { Stranger } from "./strangers";

interface TableProps {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Drawn behind each row, if given. */
  readonly shares?: readonly number[];
  /** The row that stands out, if one does, and the word that says why. */
  readonly marked?: { readonly row: number; readonly says: string };
}

/** Rows of numbers, which can be scrolled where they are too wide. */
export function Table({ heads, rows, shares, marked }: TableProps) {
  const most = Math.max(...(shares ?? [1]));
  return (
    <div class="table" tabIndex={0} role="region" aria-label={heads[0]}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], row) => (
            <tr key={name} class={marked?.row === row ? "marked" : undefined}>
              <th scope="row">
                <Stranger text={name as string} />
                {marked?.row === row && <small> {marked.says}</small>}
                {shares && (
                  <svg class="under" aria-hidden="true" height="4">
                    <rect
                      width={`${(100 * Math.max(0, shares[row] as number)) / most}%`}
                      height="4"
                    />
                  </svg>
                )}
              </th>
              {cells.map((cell, i) => (
                <td key={i}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
