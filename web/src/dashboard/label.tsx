/** The privacy label: what answering means for a person, on one card. */

import type { Standing } from "../collector/api";
import type { Collection } from "../device";
import { upTo } from "../page/numbers";
import { changesOf } from "../page/wording";
import { Stranger } from "../page/strangers";
import { kindOf } from "./kinds";
import { useWords } from "./language";

interface PrivacyLabelProps {
  readonly standing: Standing;
  /** Null where the page can't compute by itself: then the collector's words are shown. */
  readonly collection: Collection | null;
}

export function PrivacyLabel({ standing, collection }: PrivacyLabelProps) {
  const words = useWords();
  const { privacy, epsilon, lifetime_epsilon: lifetime } = standing;
  const kind = kindOf(standing);
  const theirs = { lang: "en" };
  return (
    <section class="card label">
      <h2>{words.label}</h2>
      <p class="epsilon">{words.epsilon(upTo(epsilon))}</p>
      <dl>
        <div>
          <dt>{words.labelPromise}</dt>
          {collection ? (
            <dd>{kind.promise(words, collection)}</dd>
          ) : (
            <dd {...theirs}>
              <Stranger text={privacy.promise} />
            </dd>
          )}
          {lifetime !== null && <dd>{words.lifetime(upTo(lifetime))}</dd>}
          {collection?.changes && <dd>{changesOf(words, collection.changes)}</dd>}
        </div>
        <div>
          <dt>{words.labelOdds}</dt>
          {collection ? (
            <dd>{kind.odds(words, collection)}</dd>
          ) : (
            <dd {...theirs}>
              <Stranger text={privacy.odds} />
            </dd>
          )}
        </div>
        {collection ? (
          <div>
            <dt>{words.labelKept}</dt>
            <dd>{collection.keepsReports ? words.keptAll : words.keptSum}</dd>
          </div>
        ) : (
          <div>
            <dt>{words.labelKept}</dt>
            <dd {...theirs}>
              <Stranger text={privacy.kept} />
            </dd>
          </div>
        )}
        <div>
          <dt>{words.labelMinimum}</dt>
          <dd>{words.reports(privacy.minimum_reports)}</dd>
        </div>
        {collection && (
          <div>
            <dt>{words.labelWindows}</dt>
            <dd>
              {collection.windows
                ? kind.windows(words, collection.windows, collection)
                : words.noWindows}
            </dd>
          </div>
        )}
        <div>
          <dt>{words.labelInvited}</dt>
          <dd>{privacy.invitations === null ? words.uninvited : words.invitedLabel}</dd>
        </div>
      </dl>
      {collection && <p class="fine">{words.checked}</p>}
      <p class="key">
        <Stranger text={standing.key} />
      </p>
    </section>
  );
}
