/** The answers to choose from, with a search field where they are many. */

import { useRef, useState } from "preact/hooks";

import { whole } from "../../language";
import { Stranger } from "../../page/strangers";
import { useWords } from "../language";
import type { FieldProps } from "./interface";

/** As many as can be looked over at once; beyond, they can be searched. */
const FEW = 12;

export function Options({ collection, legend, answer, choose }: FieldProps) {
  const { answers } = collection;
  const words = useWords();
  const [wanted, setWanted] = useState("");
  const group = useRef<HTMLFieldSetElement>(null);
  const isMany = answers.length > FEW;
  const found = wanted === "" ? answers : answers.filter((label) => fits(label, wanted));

  const goOn = (event: KeyboardEvent): void => {
    const [only, ...others] = found;
    if (event.key === "Enter") {
      event.preventDefault(); // a search isn't an answer
      if (only !== undefined && others.length === 0) choose(only);
    }
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    const all = group.current?.querySelectorAll("input") ?? [];
    ([...all].find(({ checked }) => checked) ?? all[0])?.focus();
  };
  return (
    <>
      {isMany && (
        <label class="field search">
          {words.search}
          <input
            type="text"
            inputMode="search"
            value={wanted}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-describedby="found"
            onInput={({ currentTarget }) => setWanted(currentTarget.value)}
            onKeyDown={goOn}
          />
          <small id="found" role="status">
            {words.found(whole(words, found.length), whole(words, answers.length))}
          </small>
        </label>
      )}
      <fieldset ref={group} class={isMany ? "many" : undefined}>
        <legend>
          {legend}
          {isMany && answer !== "" && (
            <>
              {words.chosen} <Stranger text={answer} />
            </>
          )}
        </legend>
        <div class="choices">
          {found.map((label) => (
            <label class="choice" key={label}>
              <input
                type="radio"
                name="answer"
                value={label}
                checked={answer === label}
                onChange={() => choose(label)}
              />
              <span>
                <Stranger text={label} />
              </span>
            </label>
          ))}
        </div>
      </fieldset>
    </>
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
