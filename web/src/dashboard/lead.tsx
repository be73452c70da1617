/** The answer first: the share to know, how many people, the margin of error, ε in words. */

import type { Estimate, Standing } from "../collector/api";
import type { Collection } from "../device";
import { upTo } from "../page/numbers";
import { Stranger } from "../page/strangers";
import { kindOf } from "./kinds";
import { useWords } from "./language";
import type { Calendar } from "./times";

interface LeadProps {
  readonly standing: Standing;
  readonly collection: Collection | null;
  /** Null where there is nothing to show yet: ε stands by itself. */
  readonly estimate: Estimate | null;
  readonly calendar: Calendar;
}

export function Lead({ standing, collection, estimate, calendar }: LeadProps) {
  const words = useWords();
  const kind = kindOf(standing, estimate);
  const figures = estimate ? kind.figures(words, estimate, calendar) : [];
  return (
    <dl class="lead">
      {figures.map(({ value, label, note }) => (
        <div key={label}>
          <dt>
            <Stranger text={label} />
          </dt>
          <dd class="figure">{value}</dd>
          {note && <dd class="fine">{note}</dd>}
        </div>
      ))}
      <div class="odds-in-words">
        {collection ? (
          <dt>{firstLine(kind.odds(words, collection))}</dt>
        ) : (
          <dt lang="en">
            <Stranger text={standing.privacy.odds} />
          </dt>
        )}
        <dd class="figure">{words.epsilon(upTo(standing.epsilon))}</dd>
      </div>
    </dl>
  );
}

/** How answers are treated; what follows of each of several questions stands on the label. */
function firstLine(text: string): string {
  return text.split("\n")[0] as string;
}
