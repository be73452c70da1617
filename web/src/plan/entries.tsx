/** The fields in which a wish is typed, with a slider beside a number where that has a scale. */

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import { whole } from "../language";
import { Check, Entry } from "../page/entry";
import { epsilonText } from "./advice";
import { FIELDS, type Field, type Range } from "./fields";
import { useWords, type Words } from "./language";
import { nearest, stopsOf } from "./slider";
import { plainNumber, saidOf, type Wishes } from "./wishes";

export interface EntryProps {
  readonly wishes: Wishes;
  readonly set: (field: Field, text: string) => void;
  /** The fields that can't be read. */
  readonly wrong: readonly Field[];
}

interface WishEntryProps extends EntryProps {
  readonly field: Field;
  /** What it is called, where that isn't the name of the wish. */
  readonly title?: string;
  readonly hint?: ComponentChildren;
}

/** A wish by its name, in the control that fits it. */
export function WishEntry({ field, title, hint, ...props }: WishEntryProps) {
  const words = useWords();
  const { wishes, set, wrong } = props;
  const { form } = FIELDS[field];
  const titles: Readonly<Record<string, string>> = words.titles;
  const named = title ?? titles[field] ?? field;
  const about = hint ?? words.hints[field];
  const value = wishes.values[field];
  if (form === "flag") {
    return (
      <Check
        title={named}
        hint={words.hints[field] ?? ""}
        checked={value !== ""}
        set={(isSet) => set(field, isSet ? "yes" : "")}
      />
    );
  }
  return (
    <Entry
      id={`wish-${field}`}
      title={named}
      hint={about}
      refusal={wrong.includes(field) ? allowedText(words, field) : null}
    >
      {(control) =>
        form === "finding" ? (
          <select
            {...control}
            value={value}
            onChange={({ currentTarget }) => set(field, currentTarget.value)}
          >
            {(["mean", "distribution"] as const).map((each) => (
              <option key={each} value={each}>
                {words.findings[each]}
              </option>
            ))}
          </select>
        ) : (
          <span class="pair slider">
            <Slider field={field} title={named} {...props} />
            <span class="number">
              <input
                type="text"
                inputMode={form === "sizes" ? "text" : "decimal"}
                autocomplete="off"
                {...control}
                value={value}
                onInput={({ currentTarget }) => set(field, currentTarget.value)}
              />
              {form === "percent" && <span aria-hidden="true">%</span>}
            </span>
          </span>
        )
      }
    </Entry>
  );
}

interface SliderProps extends EntryProps {
  readonly field: Field;
  readonly title: string;
}

/** The scale of a number; nothing where it has none. */
function Slider({ field, title, wishes, set }: SliderProps) {
  const words = useWords();
  const range = rangeOf(field, wishes);
  const stops = useMemo(() => (range ? stopsOf(range) : []), [range?.from, range?.to]);
  if (!range || stops.length < 2) return null;
  const said = saidOf(field, wishes.values[field]);
  const { form } = FIELDS[field];
  const value = said === null ? range.from : Number(said) * (form === "percent" ? 100 : 1);
  return (
    <input
      type="range"
      aria-label={words.slider(title)}
      aria-valuetext={valueWords(words, field, value)}
      min="0"
      max={stops.length - 1}
      step="1"
      value={nearest(stops, value, range.isLog)}
      onInput={({ currentTarget }) =>
        set(field, plainNumber(stops[Number(currentTarget.value)] as number))
      }
    />
  );
}

/** The scale of a field, which can depend on others. */
function rangeOf(field: Field, { kind, values }: Wishes): Range | null {
  const { slider = null } = FIELDS[field];
  if (field === "most" && slider) {
    const answers = Number(saidOf("answers", values.answers) ?? slider.to);
    return { ...slider, to: Math.min(slider.to, answers) };
  }
  if (kind === "number" && field.endsWith("_number")) {
    const span = Number(values.largest) - Number(values.least);
    if (!(span > 0)) return null;
    const [from, to] = [Number((span / 1000).toPrecision(1)), Number((span / 4).toPrecision(1))];
    return { from, to, isLog: true, isWhole: false };
  }
  return slider;
}

/** A number of a field, as it is read aloud. */
function valueWords(words: Words, field: Field, value: number): string {
  if (field === "epsilon") return words.epsilon(epsilonText(words, value));
  const text = new Intl.NumberFormat(words.locale).format(value);
  return FIELDS[field].form === "percent" ? words.percent(text) : text;
}

/** What can stand in a field. */
function allowedText(words: Words, field: Field): string {
  const { form, from, to, above, below } = FIELDS[field];
  const least = whole(words, from ?? above ?? 0);
  const most = to ?? below ?? Infinity;
  switch (form) {
    case "whole":
      return most > 1e8
        ? words.allowed.wholeFrom(least)
        : words.allowed.whole(least, whole(words, most));
    case "percent":
      return words.allowed.percent(least, whole(words, most));
    case "sizes":
      return words.allowed.sizes;
    case "decimal":
      return words.allowed.decimal;
    default:
      if (field === "epsilon") return words.allowed.epsilon;
      return field === "delta" ? words.allowed.delta : words.allowed.number;
  }
}
