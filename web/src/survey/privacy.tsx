/** What answering means: the odds in people, what it costs, and what could be linked. */

import type { Collection } from "../device";
import { upTo } from "../page/numbers";
import { kindOf } from "./kinds";
import { useWords } from "./language";

interface PrivacyProps {
  readonly collection: Collection;
  /** The answer that is being given: the example in the odds. */
  readonly answer: string;
  readonly invitation: string;
}

export function Privacy({ collection, answer, invitation }: PrivacyProps) {
  const words = useWords();
  const kind = kindOf(collection);
  return (
    <section class="card privacy">
      <h2>{words.scrambled}</h2>
      <p class="odds">{kind.odds(words, collection, answer)}</p>
      <p>{words.scrambledWhy}</p>
      <h3>{words.costs(upTo(collection.epsilon))}</h3>
      <p>{kind.promise(words, collection)}</p>
      {Number.isFinite(collection.lifetimeEpsilon) && (
        <p>{words.lifetime(upTo(collection.lifetimeEpsilon))}</p>
      )}
      {collection.invited && invitation ? (
        <>
          <h3>{words.invited}</h3>
          <p>{words.invitedWhy}</p>
        </>
      ) : (
        <p>{words.anonymous}</p>
      )}
      <p>{collection.keepsReports ? words.keptAll : words.keptSum}</p>
    </section>
  );
}
