/** Where a person answers: one of several, in their own words, or their state in a round. */

import type { Collection } from "../device";
import { useWords } from "./language";

interface AnswerFormProps {
  readonly collection: Collection;
  readonly answer: string;
  readonly choose: (answer: string) => void;
  readonly submit: () => void;
}

export function AnswerForm({ collection, answer, choose, submit }: AnswerFormProps) {
  const words = useWords();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {collection.freeText ? (
        <label class="field">
          {words.yourText}
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
      ) : (
        <fieldset>
          <legend>{collection.overTime ? words.yourState : words.yourAnswer}</legend>
          {collection.answers.map((label) => (
            <label class="choice" key={label}>
              <input
                type="radio"
                name="answer"
                value={label}
                checked={answer === label}
                onChange={() => choose(label)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      )}
      <button type="submit" class="main">
        {collection.overTime ? words.observe : words.send}
      </button>
    </form>
  );
}
