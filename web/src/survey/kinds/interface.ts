/** The kind of a question, as far as the survey needs to know it. Nobody asks which it is. */

import type { JSX } from "preact";

import type { Answer, Collection, Moment } from "../../device";
import type { Wording } from "../../page/wording";
import type { Words } from "../language";
import type { Obstacle } from "../obstacle";

/** A question, and the answer that is being given; empty as long as there is none. */
export interface FieldProps {
  readonly collection: Collection;
  readonly legend: string;
  readonly answer: string;
  readonly choose: (answer: string) => void;
}

/** Where the present (Unix time) lies in a collection's windows. */
export interface ClockProps {
  readonly collection: Collection;
  readonly moment: Moment;
  readonly now: number;
}

/** A report that was sent. */
export interface ConclusionProps {
  readonly collection: Collection;
  readonly record: Uint8Array;
  /** What was answered, if the page still knows. */
  readonly answer: string | null;
}

/** What a kind of question knows of itself; one file each has it, and `kindOf` finds it. */
export interface Kind extends Wording {
  /** Where a person answers. */
  Field(props: FieldProps): JSX.Element;
  /** What stands above it. */
  legend(words: Words): string;
  /** What stands on the button that sends the answer. */
  button(words: Words): string;
  /** What to do first, said to who sends without an answer. */
  unanswered(words: Words): string;
  /** The answer that the page's text stands for. */
  given(answer: string): Answer;
  /** Whether an answer holds for the moment only: then the next one begins anew. */
  readonly momentary: boolean;
  /** The time that is left for an answer, where that matters. */
  Clock(props: ClockProps): JSX.Element | null;
  /** Why such a collection can't be answered in a browser, or null. */
  obstacle(collection: Collection): Obstacle | null;
  /** What is said to who has answered, until the next time begins, if there is one. */
  answered(words: Words, next: number | null): string;
  /** What a report says. */
  report(words: Words, collection: Collection, record: Uint8Array): string;
  /** What it means that a report of an answer says what it says. */
  meaning(words: Words, collection: Collection, record: Uint8Array, answer: string): string;
  /** What a collector can conclude from a report. */
  Conclusion(props: ConclusionProps): JSX.Element;
}
