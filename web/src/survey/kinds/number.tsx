/** A number in a survey: a field and a slider over the range. */

import { useState } from "preact/hooks";

import { chanceOf, conclude, type Range, type SquareWave, type Window } from "../../device";
import { peopleOf, shownNumber, typed } from "../../page/numbers";
import { windowOdds, type CollectionBy } from "../../page/wording";
import { Likelihoods } from "../conclusion";
import { useWords } from "../language";
import { choice } from "./choice";
import type { ConclusionProps, FieldProps, Kind } from "./interface";

type NumberCollection = CollectionBy<Window | SquareWave>;

const COMPARED = 9; // numbers of the range, from end to end
const BEGUN = /^[-+]?\.?$/; // what isn't a number yet, but no mistake either

export const number: Kind = {
  ...choice,
  odds: windowOdds,
  Field: FieldAndSlider,
  legend: (words) => words.yourNumber,
  unanswered: (words) => words.enterNumber,
  report(words, collection: CollectionBy<Window>, record) {
    const { mechanism } = collection;
    const output = mechanism.readReport(record);
    const steps = mechanism.part(output);
    const [low, step] = [collection.answers[0], rangeOf(collection).step].map(Number);
    const counted = (low as number) + (step as number) * steps;
    const text = shownNumber(`${Number(counted.toPrecision(4))}`);
    return words.saysMark(output + 1, mechanism.outputs, text);
  },
  meaning(words, collection: NumberCollection, record, answer) {
    const { mechanism } = collection;
    const { steps } = collection.place(rangeOf(collection), answer);
    const far = 2 * steps > mechanism.steps ? 0 : mechanism.steps;
    const [truth, other] = [steps, far].map((value) => chanceOf(mechanism, value, record));
    if (!truth || !other) return "";
    const end = shownNumber(collection.answers[far > 0 ? 1 : 0] as string);
    return words.ownMark(peopleOf({ truth, other }), end);
  },
  Conclusion: SomeNumbers,
};

/** The same question, where the distribution is found out and not the mean. */
export const distribution: Kind = {
  ...number,
  report(words, collection: CollectionBy<SquareWave>, record) {
    const { mechanism } = collection;
    const output = mechanism.readReport(record);
    const range = rangeOf(collection);
    const [least, most] = mechanism
      .numbersOf(output)
      .map((steps) => shownNumber(range.textOf(steps)));
    return words.saysNumbers(output + 1, mechanism.outputs, least as string, most as string);
  },
};

function rangeOf(collection: NumberCollection): Range {
  return collection.range as Range; // as every collection of this kind has one
}

function FieldAndSlider({ collection, legend, answer, choose }: FieldProps) {
  const words = useWords();
  const range = (collection as NumberCollection).range as Range;
  const [text, setText] = useState(answer);
  const number = typed(text);
  const placed = range.place(number);
  const enter = (next: string): void => {
    setText(next);
    choose(range.place(typed(next)) ? typed(next) : "");
  };
  const move = (by: number): void => {
    const from = placed?.steps ?? (by > 0 ? -1 : range.steps + 1);
    enter(range.textOf(Math.min(range.steps, Math.max(0, from + by))));
  };
  const [least, most] = range.ends.map(shownNumber) as [string, string];
  const taken = placed && range.textOf(placed.steps);
  const shown = shownNumber(taken ?? "");
  const isOther = placed !== null && Number(taken) !== Number(number);
  const isWrong = !placed && !BEGUN.test(number);
  const example = shownNumber(range.textOf(Math.floor(range.steps / 2)));
  return (
    <fieldset class={placed ? "number given" : "number"}>
      <legend>{legend}</legend>
      <label class="field">
        {words.numberIn(least, most, range.step)}
        <input
          type="text"
          inputMode={range.decimals > 0 || least.startsWith("-") ? "text" : "numeric"}
          name="answer"
          value={text}
          autocomplete="off"
          aria-describedby="number-note"
          aria-invalid={isWrong}
          onInput={({ currentTarget }) => enter(currentTarget.value)}
          onKeyDown={(event) => {
            const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
            if (by === undefined) return;
            event.preventDefault();
            move(by);
          }}
        />
      </label>
      <input
        type="range"
        class={placed ? undefined : "unset"}
        aria-label={words.slider}
        aria-valuetext={placed ? shown : words.nothingEntered}
        min={0}
        max={range.steps}
        step={1}
        value={placed ? placed.steps : Math.floor(range.steps / 2)}
        onInput={({ currentTarget }) => enter(range.textOf(Number(currentTarget.value)))}
      />
      <span class="ends" aria-hidden="true">
        <span>{least}</span>
        <span>{most}</span>
      </span>
      <small id="number-note" role="status">
        {isWrong && words.noNumber(example)}
        {placed?.isClipped && words.clipped(least, most, shown)}
        {isOther && !placed.isClipped && words.nearest(shown)}
      </small>
    </fieldset>
  );
}

/** A few numbers from one end of the range to the other. */
function SomeNumbers({ collection, record }: ConclusionProps) {
  const words = useWords();
  const range = rangeOf(collection as NumberCollection);
  const parts = Math.min(COMPARED - 1, range.steps);
  const among = Array.from({ length: parts + 1 }, (_, i) =>
    range.textOf(Math.round((i * range.steps) / parts)),
  );
  const conclusion = conclude(collection, record, among);
  return (
    <>
      <p>{words.concludeNumber}</p>
      <Likelihoods conclusion={{ ...conclusion, answers: among.map(shownNumber) }} />
    </>
  );
}
