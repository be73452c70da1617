/** What a new collection would mean, in words: for people who answer, and for whoever reads it. */

import { useMemo } from "preact/hooks";

import { Collection } from "../../device";
import { whole } from "../../language";
import { percent, upTo } from "../../page/numbers";
import { changesOf } from "../../page/wording";
import { Stranger } from "../../page/strangers";
import { choice } from "../kinds/choice";
import type { Kind } from "../kinds/interface";
import { number } from "../kinds/number";
import { selection } from "../kinds/selection";
import { several } from "../kinds/several";
import { states } from "../kinds/states";
import { text } from "../kinds/text";
import { useWords } from "./language";
import type { Asked, Draft, Form } from "./wishes";

const KINDS: Readonly<Record<Asked, Kind>> = {
  choice,
  several: selection,
  questions: several,
  number,
  text,
  states,
};

interface DraftLabelProps {
  readonly form: Form;
  /** Null while the form isn't complete, or is refused. */
  readonly draft: Draft | null;
  /** Whether a plan has said what error to expect, of the answer that it is for. */
  readonly isPlanned: boolean;
}

export function DraftLabel({ form, draft, isPlanned }: DraftLabelProps) {
  const words = useWords();
  return (
    <section class="meaning" role="status" aria-label={words.meaning}>
      <h3>{words.meaning}</h3>
      {draft ? <Meaning {...{ form, draft, isPlanned }} /> : <p class="fine">{words.noMeaning}</p>}
    </section>
  );
}

function Meaning({ form, draft, isPlanned }: DraftLabelProps & { readonly draft: Draft }) {
  const words = useWords();
  const { label } = draft;
  const kind = KINDS[form.asks];
  const isSpread = form.asks === "number" && form.foundOut === "distribution";
  const estimated = isSpread ? "distribution" : form.asks;
  const collection = useMemo(() => read(draft), [draft]);
  return (
    <ul>
      {collection ? (
        <>
          <li class="odds">{kind.odds(words, collection)}</li>
          <li>{kind.promise(words, collection)}</li>
        </>
      ) : (
        <>
          <li lang="en">
            <Stranger text={label.odds} />
          </li>
          <li lang="en">
            <Stranger text={label.promise} />
          </li>
        </>
      )}
      {label.lifetime_epsilon !== null && <li>{words.lifetime(upTo(label.lifetime_epsilon))}</li>}
      {collection?.changes && <li>{changesOf(words, collection.changes)}</li>}
      {label.error !== null && !isPlanned && (
        <li>{words.errors[estimated](whole(words, label.people), percent(label.error))}</li>
      )}
      {label.parts > 1 && (
        <li>
          {words.parts[form.asks === "states" || form.asks === "questions" ? form.asks : "text"](
            whole(words, label.parts),
            whole(words, Number(form.minimum)),
            whole(words, label.parts * Number(form.minimum)),
          )}
        </li>
      )}
      <li>{words.size(label.mechanism, whole(words, label.report_bytes), label.report_bytes)}</li>
      {!collection && <li class="warning">{words.noBrowser}</li>}
    </ul>
  );
}

/** The collection, if browsers speak its mechanism. */
function read({ document, key }: Draft): Collection | null {
  try {
    return Collection.readPinned(new TextEncoder().encode(document), key);
  } catch {
    return null;
  }
}
