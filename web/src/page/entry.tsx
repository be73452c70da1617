/** A field of a form: its label, what it is for, and what is wrong with it. */

import type { ComponentChildren } from "preact";

/** What a control needs to be known by its label, its hint and its refusal. */
interface Control {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string;
}

interface EntryProps {
  readonly id: string;
  readonly title: string;
  readonly hint?: ComponentChildren;
  /** Why it can't be taken; null if it can. */
  readonly refusal?: string | null;
  readonly children: (control: Control) => ComponentChildren;
}

export function Entry({ id, title, hint, refusal = null, children }: EntryProps) {
  const described = { "aria-describedby": `${id}-hint ${id}-refusal` };
  return (
    <div class="entry">
      <label for={id}>{title}</label>
      {children({ id, "aria-invalid": refusal !== null, ...described })}
      <small id={`${id}-hint`}>{hint}</small>
      <p class="refusal" id={`${id}-refusal`}>
        {refusal}
      </p>
    </div>
  );
}

interface ValueEntryProps extends Omit<EntryProps, "children"> {
  readonly value: string;
  readonly set: (value: string) => void;
}

/** A line of text. */
export function TextEntry({ value, set, ...entry }: ValueEntryProps) {
  return (
    <Entry {...entry}>
      {(control) => (
        <input
          type="text"
          {...control}
          value={value}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
    </Entry>
  );
}

/** A number above 0. */
export function NumberEntry({
  value,
  set,
  isWhole = true,
  ...entry
}: ValueEntryProps & { readonly isWhole?: boolean }) {
  return (
    <Entry {...entry}>
      {(control) => (
        <input
          type="number"
          min={isWhole ? "1" : "0.01"}
          step={isWhole ? "1" : "any"}
          {...control}
          value={value}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
    </Entry>
  );
}

interface OptionsProps<Value extends string> {
  readonly id: string;
  readonly legend: string;
  readonly options: readonly (readonly [value: Value, title: string, hint: string])[];
  readonly value: Value;
  readonly choose: (value: Value) => void;
}

/** One of a few, each with a line about it. */
export function Options<Value extends string>(props: OptionsProps<Value>) {
  const { id, legend, options, value, choose } = props;
  return (
    <fieldset class="entry">
      <legend>{legend}</legend>
      {options.map(([each, title, hint]) => (
        <label key={each} class="option">
          <input
            type="radio"
            name={id}
            value={each}
            checked={each === value}
            onChange={() => choose(each)}
          />
          <span>
            {title}
            <small>{hint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface CheckProps {
  readonly id?: string;
  readonly title: string;
  readonly hint: string;
  /** Why it can't be had, in place of the hint; null if it can. */
  readonly refusal?: string | null;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly set: (checked: boolean) => void;
}

export function Check({ id, title, hint, refusal = null, checked, disabled, set }: CheckProps) {
  return (
    <label class="option">
      <input
        type="checkbox"
        id={id}
        aria-invalid={refusal !== null}
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
      <span>
        {title}
        <small class={refusal === null ? undefined : "refusal"}>{refusal ?? hint}</small>
      </span>
    </label>
  );
}
