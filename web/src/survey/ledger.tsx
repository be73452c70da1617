/** The person's ledger: what was spent here and for life, and the cap that they set. */

import { useState } from "preact/hooks";

import { Refused, roundUp, type Collection } from "../device";
import { useWords } from "./language";
import { typed, upTo } from "../page/numbers";
import { alone, type Person } from "./person";

interface LedgerCardProps {
  readonly collection: Collection;
  readonly person: Person;
}

export function LedgerCard({ collection, person }: LedgerCardProps) {
  const words = useWords();
  const { ledger } = person;
  const [cap, setCap] = useState(ledger.cap === null ? "" : `${ledger.cap}`);
  const [said, setSaid] = useState("");
  const save = async (): Promise<void> => {
    const text = typed(cap);
    try {
      const wanted = text === "" ? null : /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : NaN;
      await alone(() => person.setCap(wanted));
      setSaid(words.capSet(text));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setSaid(words.capWrong);
    }
  };
  return (
    <section class="card ledger">
      <h2>{words.ledger}</h2>
      <dl>
        <div>
          <dt>{words.spentHere}</dt>
          <dd>ε = {upTo(roundUp(ledger.spent(collection.key)))}</dd>
        </div>
        <div>
          <dt>{words.spentLife}</dt>
          <dd>ε = {upTo(roundUp(ledger.spent()))}</dd>
        </div>
      </dl>
      <form
        class="cap"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label class="field">
          {words.cap}
          <span class="pair">
            <input
              type="text"
              inputMode="decimal"
              value={cap}
              autocomplete="off"
              aria-describedby="cap-hint"
              onInput={({ currentTarget }) => setCap(currentTarget.value)}
            />
            <button type="submit">{words.setCap}</button>
          </span>
          <small id="cap-hint">{words.capHint}</small>
        </label>
      </form>
      <p class="status" role="status" aria-live="polite">
        {said}
      </p>
    </section>
  );
}
