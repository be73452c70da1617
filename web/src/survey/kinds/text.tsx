/** Free text in a survey: an answer in the person's own words, of which only bits are sent. */

import { useState } from "preact/hooks";

import { Refused, conclude, type Rappor } from "../../device";
import { getBit } from "../../device/packed";
import { textOdds, type CollectionBy } from "../../page/wording";
import { Likelihoods } from "../conclusion";
import { useWords } from "../language";
import { choice } from "./choice";
import type { ConclusionProps, FieldProps, Kind } from "./interface";

export const text: Kind = {
  ...choice,
  odds: textOdds,
  Field: OwnWords,
  legend: (words) => words.yourText,
  unanswered: (words) => words.write,
  report(words, { mechanism }: CollectionBy<Rappor>, record) {
    const { bits, cohorts } = mechanism;
    const { cohort, row } = mechanism.readReport(record);
    const on = [...Array(bits).keys()].filter((place) => getBit(row, place));
    const places = words.saysBits(on.length, bits, on.join(" "));
    return cohorts > 1 ? `${words.saysCohort(cohort, cohorts)} ${places}` : places;
  },
  meaning: (words) => words.someByChance,
  Conclusion: TwoTexts,
};

function OwnWords({ legend, answer, choose }: FieldProps) {
  const words = useWords();
  return (
    <label class="field">
      {legend}
      <input
        type="text"
        value={answer}
        maxLength={10_000}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby="text-hint"
        onInput={({ currentTarget }) => choose(currentTarget.value)}
      />
      <small id="text-hint">{words.textHint}</small>
    </label>
  );
}

/** The person's text against another one, which they may choose. */
function TwoTexts({ collection, record, answer }: ConclusionProps) {
  const words = useWords();
  const [other, setOther] = useState(words.anotherDefault);
  if (answer === null) return <p>{words.concludeLater}</p>;
  return (
    <>
      <p>{words.concludeText}</p>
      <label class="field">
        {words.another}
        <input
          type="text"
          value={other}
          autocomplete="off"
          onInput={({ currentTarget }) => setOther(currentTarget.value)}
        />
      </label>
      <Compared collection={collection} record={record} answer={answer} other={other} />
    </>
  );
}

interface ComparedProps extends ConclusionProps {
  readonly answer: string;
  readonly other: string;
}

function Compared({ collection, record, answer, other }: ComparedProps) {
  const words = useWords();
  if (other === "" || other === answer) return null;
  try {
    const conclusion = conclude(collection, record, [answer, other]);
    return <Likelihoods conclusion={{ ...conclusion, answers: [words.yours(answer), other] }} />;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return <p class="notice">{words.failed(error.message)}</p>;
  }
}
