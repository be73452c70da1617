/** Numbers in a table, and the words that stand in it. */

import { percent } from "../page/numbers";
import { Stranger } from "../page/strangers";
import type { Words } from "./language";

interface TableProps {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Drawn behind each row, if given. */
  readonly shares?: readonly number[];
}

/** Rows of numbers, which can be scrolled where they are too wide. */
export function Table({ heads, rows, shares }: TableProps) {
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
            <tr key={name}>
              <th scope="row">
                <Stranger text={name as string} />
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

/** A share in per cent, or that there is none. */
export function shareOr(words: Words, share: number | null, decimals?: number): string {
  return share === null ? words.noEstimate : words.percent(percent(share, decimals));
}

/** A confidence level in per cent, with as few digits as it needs. */
export function levelText(level: number): string {
  return `${Number((100 * level).toFixed(2))}`;
}
