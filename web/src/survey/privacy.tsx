/** What answering means: the cost, what could be linked, who must be trusted. */

import type { Collection } from "../device";
import { upTo } from "../page/numbers";
import { changesOf } from "../page/wording";
import { kindOf } from "./kinds";
import { useWords } from "./language";
import { isHostedElsewhere, type Place } from "./place";

interface PrivacyProps {
  readonly collection: Collection;
  readonly place: Place;
}

export function Privacy({ collection, place }: PrivacyProps) {
  const words = useWords();
  const kind = kindOf(collection);
  return (
    <section class="card privacy">
      <h2>{words.scrambled}</h2>
      <p>{words.scrambledWhy}</p>
      <h3>{words.costs(upTo(collection.epsilon))}</h3>
      <p>{kind.promise(words, collection)}</p>
      {Number.isFinite(collection.lifetimeEpsilon) && (
        <p>{words.lifetime(upTo(collection.lifetimeEpsilon))}</p>
      )}
      {collection.changes && <p>{changesOf(words, collection.changes)}</p>}
      {collection.invited && place.invitation ? (
        <>
          <h3>{words.invited}</h3>
          <p>{words.invitedWhy}</p>
        </>
      ) : (
        <p>{words.anonymous}</p>
      )}
      <p>{collection.keepsReports ? words.keptAll : words.keptSum}</p>
      <h3>{words.supplier}</h3>
      <p class="supplier">
        {isHostedElsewhere(place)
          ? words.hostedElsewhere(hostOf(place.host), hostOf(place.collector))
          : words.hostedHere(hostOf(place.host))}
      </p>
    </section>
  );
}

/** An origin as people know it. */
function hostOf(origin: string): string {
  return new URL(origin).host;
}
