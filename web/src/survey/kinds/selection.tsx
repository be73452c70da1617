/** Several answers in a survey: check boxes, no more of them than may be checked. */

import { conclude, type SetResponse } from "../../device";
import { getBit } from "../../device/packed";
import { asFraction } from "../../device/parameters";
import { rest } from "../../device/fractions";
import { peopleOf } from "../../page/numbers";
import { isolated } from "../../page/strangers";
import { setOdds, type CollectionBy } from "../../page/wording";
import { Likelihoods } from "../conclusion";
import { useWords } from "../language";
import { choice } from "./choice";
import type { ConclusionProps, FieldProps, Kind } from "./interface";
import { AnswerList } from "./options";

type SetCollection = CollectionBy<SetResponse>;

/** What the page keeps of an answer is a text: none yet, or the labels as JSON. */
const NOTHING = JSON.stringify([]);
const labelsOf = (answer: string): string[] => (answer === "" ? [] : JSON.parse(answer));

export const selection: Kind = {
  ...choice,
  odds: (words, collection: SetCollection, answer = "") =>
    setOdds(words, collection, labelsOf(answer)[0]),
  Field: Boxes,
  legend: (words) => words.yourAnswers,
  unanswered: (words) => words.chooseSome,
  given: labelsOf,
  report(words, { mechanism, answers }: SetCollection, record) {
    const row = mechanism.readReport(record);
    const named = answers.filter((_, place) => getBit(row, place)).map(isolated);
    return words.saysSet(words.list(named.map(words.says)), mechanism.setSize - named.length);
  },
  meaning(words, collection: SetCollection, record, answer) {
    const { mechanism } = collection;
    const row = mechanism.readReport(record);
    const selected = new Set(labelsOf(answer));
    const held = mechanism.held(collection.answers.map((label) => Number(selected.has(label))));
    const keep = asFraction(mechanism.keep);
    const people = peopleOf({ truth: keep, other: rest(keep) });
    return [...held].some((item) => getBit(row, item))
      ? words.ownItems(people)
      : words.strangeItems(people);
  },
  Conclusion: FewSelections,
};

function Boxes({ collection, legend, answer, choose }: FieldProps) {
  const words = useWords();
  const { most } = (collection as SetCollection).mechanism;
  const chosen = labelsOf(answer);
  const toggle = (label: string): void => {
    const others = chosen.filter((each) => each !== label);
    const next = others.length < chosen.length ? others : [...chosen, label];
    choose(next.length > 0 ? JSON.stringify(next) : "");
  };
  return (
    <AnswerList
      answers={collection.answers}
      legend={legend}
      type="checkbox"
      chosen={chosen}
      isFull={chosen.length >= most}
      choose={toggle}
    >
      <label class="choice none">
        <input
          type="checkbox"
          name="none"
          checked={answer === NOTHING}
          onChange={() => choose(answer === NOTHING ? "" : NOTHING)}
        />
        <span>{words.noneOfThese}</span>
      </label>
      <small id="selected" role="status">
        {words.selected(chosen.length, most)}
      </small>
    </AnswerList>
  );
}

/** To have selected nothing, and each answer alone: all selections would be too many to show. */
function FewSelections({ collection, record }: ConclusionProps) {
  const words = useWords();
  const among = [[], ...collection.answers.map((label) => [label])];
  const conclusion = conclude(collection, record, among);
  const answers = [words.noneOfThese, ...collection.answers];
  return (
    <>
      <p>{words.concludeSet}</p>
      <Likelihoods conclusion={{ ...conclusion, answers }} />
    </>
  );
}
