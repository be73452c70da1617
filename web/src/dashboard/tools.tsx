/** What changes how a list is looked at: its order, what is searched for, how much is shown. */

import { whole } from "../language";
import { useWords } from "./language";
import { FOLDED, ORDERS, isLong, type Lens, type Order } from "./listing";

interface ToolsProps {
  /** Rows of the whole list. */
  readonly count: number;
  readonly lens: Lens;
  readonly change: (lens: Lens) => void;
}

/** The order of a list and, of a long one, the field to search it. */
export function Tools({ count, lens, change }: ToolsProps) {
  const words = useWords();
  return (
    <div class="tools">
      {isLong(count) && (
        <label>
          <span class="unseen">{words.search}</span>
          <input
            type="search"
            placeholder={words.search}
            value={lens.search}
            onInput={({ currentTarget }) => change({ ...lens, search: currentTarget.value })}
          />
        </label>
      )}
      <label>
        <span class={isLong(count) ? "unseen" : undefined}>{words.sortBy}</span>
        <select
          value={lens.order}
          onChange={({ currentTarget }) => change({ ...lens, order: currentTarget.value as Order })}
        >
          {ORDERS.map((order) => (
            <option key={order} value={order}>
              {words.orders[order]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface FoldProps extends ToolsProps {
  /** Rows that were searched for. */
  readonly found: number;
}

/** Below a long list: how much of it is shown, and the button for the rest. */
export function Fold({ count, found, lens, change }: FoldProps) {
  const words = useWords();
  if (!isLong(count)) return null;
  const shown = lens.open || !isLong(found) ? found : FOLDED;
  return (
    <p class="fold">
      <span role="status">
        {found === 0 ? words.noMatch : words.shownOf(whole(words, shown), whole(words, count))}
      </span>
      {isLong(found) && (
        <button type="button" onClick={() => change({ ...lens, open: !lens.open })}>
          {lens.open ? words.showFewer : words.showAll(whole(words, found))}
        </button>
      )}
    </p>
  );
}
