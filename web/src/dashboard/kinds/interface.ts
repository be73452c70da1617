/** The kind of a question, as far as the dashboard needs to know it. Nobody asks which it is. */

import type { ComponentChildren, JSX } from "preact";

import type { Estimate, Standing, Truth } from "../../collector/api";
import type { Problem } from "../../collector/problem";
import type { Collection, Windows } from "../../device";
import type { Wording } from "../../page/wording";
import type { Words } from "../language";
import type { Calendar } from "../times";

/** An estimate and all that is known beside it. */
export interface ResultProps<Shown extends Estimate> {
  readonly estimate: Shown;
  readonly standing: Standing;
  readonly calendar: Calendar;
  /** In a demonstration that shows it, the truth. */
  readonly truth: Truth | null;
  /** The switches, which stand below the drawing. */
  readonly children?: ComponentChildren;
}

/** The estimate of a window beside that of another one. */
export interface ChangeProps<Shown extends Estimate> {
  readonly now: Shown;
  readonly then: Shown;
  readonly calendar: Calendar;
}

/** Estimates of windows that follow each other, and the same at the level of the band. */
export interface HistoryProps<Shown extends Estimate> {
  readonly windows: readonly Shown[];
  readonly band: readonly Shown[];
  readonly calendar: Calendar;
}

/** A collection as it stands, and which window of it was chosen. */
export interface TooFewProps {
  readonly standing: Standing;
  readonly window: string;
}

/** A number that stands before everything else, and what it is. */
export interface Figure {
  readonly value: string;
  readonly label: string;
  readonly note: string;
}

/** What a kind of question knows of itself; one file each has it, and `kindOf` finds it. */
export interface Kind extends Wording {
  /** Whether its reports are decoded against candidates. */
  readonly takesCandidates?: boolean;
  /** The field of an estimate that holds its rows. */
  readonly rows: string;
  /** The answer in a few numbers: the share to know first, how many people, the margin of error. */
  figures(words: Words, estimate: Estimate, calendar: Calendar): readonly Figure[];
  /** Whether its result has a chart (in an element with `data-chart`) that can be a picture. */
  readonly isDrawn: boolean;
  /** The estimate, drawn. */
  Result(props: ResultProps<Estimate>): JSX.Element;
  /** How one window differs from another, drawn; null where windows can't be compared. */
  readonly Change: ((props: ChangeProps<Estimate>) => JSX.Element) | null;
  /** Window after window, drawn; null where results say it already, or can't. */
  readonly History: ((props: HistoryProps<Estimate>) => JSX.Element) | null;
  /** What there must be before anything is shown. */
  TooFew(props: TooFewProps): JSX.Element;
  /** What enough reports still wait for. */
  waiting(words: Words, problem: Problem): string;
  /** The window whose sum can be downloaded, when a result of this window is shown. */
  summed(window: string): string;
  /** The planner's command for a collection like this one; null where it plans none. */
  plan(standing: Standing, estimate: Estimate | null): string | null;
  /** How long a collection's windows are, in words. */
  windows(words: Words, windows: Windows, collection: Collection): string;
}
