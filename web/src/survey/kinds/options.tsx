/** The answers to choose from, with a search field where they are many. */

import { Fragment, type ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

import { whole } from "../../language";
import { Stranger } from "../../page/strangers";
import { useWords } from "../language";
import type { FieldProps } from "./interface";

/** As many as can be looked over at once; beyond, they can be searched. */
const FEW = 12;

export function Options({ collection, legend, answer, choose }: FieldProps) {
  return (
    <AnswerList
      answers={collection.answers}
      legend={legend}
      type="radio"
      chosen={answer === "" ? [] : [answer]}
      choose={choose}
    />
  );
}

interface AnswerListProps {
  readonly answers: readonly string[];
  readonly legend: string;
  readonly type: "radio" | "checkbox";
  /** What the inputs are called, where there are several lists. */
  readonly name?: string;
  readonly chosen: readonly string[];
  /** Whether it is one of several lists, each below its own question. */
  readonly isOneOf?: boolean;
  /** Whether nothing can be chosen beside what is. */
  readonly isFull?: boolean;
  readonly choose: (answer: string) => void;
  /** What stands below the answers. */
  readonly children?: ComponentChildren;
}

export function AnswerList({
  answers,
  legend,
  type,
  name = "answer",
  chosen,
  isOneOf = false,
  isFull = false,
  choose,
  children,
}: AnswerListProps) {
  const words = useWords();
  const [wanted, setWanted] = useState("");
  const group = useRef<HTMLFieldSetElement>(null);
  const isMany = answers.length > FEW;
  const found = wanted === "" ? answers : answers.filter((label) => fits(label, wanted));
  const isClosed = (label: string): boolean => isFull && !chosen.includes(label);

  const goOn = (event: KeyboardEvent): void => {
    const [only, ...others] = found;
    if (event.key === "Enter") {
      event.preventDefault(); // a search isn't an answer
      const isNew = only !== undefined && !chosen.includes(only) && !isClosed(only);
      if (isNew && others.length === 0) choose(only);
    }
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    const all = group.current?.querySelectorAll<HTMLInputElement>(".choice input") ?? [];
    ([...all].find(({ checked }) => checked) ?? all[0])?.focus();
  };
  const search = isMany && (
    <Search
      wanted={wanted}
      want={setWanted}
      found={found.length}
      all={answers.length}
      goOn={goOn}
    />
  );
  return (
    <>
      {!isOneOf && search}
      <fieldset
        ref={group}
        class={[isMany && "many", chosen.length > 0 && "given"].filter(Boolean).join(" ")}
      >
        <legend>
          {legend}
          {isMany &&
            !isOneOf &&
            chosen.map((label, i) => (
              <Fragment key={label}>
                {i === 0 ? words.chosen : words.list(["", ""])} <Stranger text={label} />
              </Fragment>
            ))}
        </legend>
        {isOneOf && search}
        {isOneOf && isMany && chosen.length > 0 && (
          <p>
            <b>
              {words.yourAnswer}
              {words.chosen} <Stranger text={chosen[0] as string} />
            </b>
          </p>
        )}
        <div class="choices">
          {found.map((label) => (
            <label class="choice" key={label}>
              <input
                type={type}
                name={name}
                value={label}
                checked={chosen.includes(label)}
                disabled={isClosed(label)}
                onChange={() => choose(label)}
              />
              <span>
                <Stranger text={label} />
              </span>
            </label>
          ))}
        </div>
        {children}
      </fieldset>
    </>
  );
}

interface SearchProps {
  readonly wanted: string;
  readonly want: (wanted: string) => void;
  /** How many answers fit, of how many. */
  readonly found: number;
  readonly all: number;
  /** From the field to the answers, by a key. */
  readonly goOn: (event: KeyboardEvent) => void;
}

function Search({ wanted, want, found, all, goOn }: SearchProps) {
  const words = useWords();
  const countId = useId();
  return (
    <label class="field search">
      {words.search}
      <input
        type="text"
        inputMode="search"
        value={wanted}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby={countId}
        onInput={({ currentTarget }) => want(currentTarget.value)}
        onKeyDown={goOn}
      />
      <small id={countId} role="status">
        {words.found(whole(words, found), whole(words, all))}
      </small>
    </label>
  );
}

/** Whether a label has every word that is looked for, whatever its case, width or accents. */
export function fits(label: string, wanted: string): boolean {
  const plain = folded(label);
  return folded(wanted)
    .split(/\s+/)
    .every((word) => plain.includes(word));
}

function folded(text: string): string {
  const letters = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  // What is written in katakana is found in hiragana, too.
  return letters
    .replace(/[\u30a1-\u30f6]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))
    .toLowerCase();
}
