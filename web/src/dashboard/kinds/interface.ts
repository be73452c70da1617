/** The kind of a question, as far as the dashboard needs to know it. Nobody asks which it is. */

import type { JSX } from "preact";

import type { Estimate, Standing, Truth } from "../../collector/api";
import type { Problem } from "../../collector/problem";
import type { Collection, Windows } from "../../device";
import type { Wording } from "../../page/wording";
import type { Words } from "../language";

/** An estimate and, in a demonstration that shows it, the truth. */
export interface ResultProps<Shown extends Estimate> {
  readonly estimate: Shown;
  readonly truth: Truth | null;
}

/** A collection as it stands, and which window of it was chosen. */
export interface TooFewProps {
  readonly standing: Standing;
  readonly window: string;
}

/** What a kind of question knows of itself; one file each has it, and `kindOf` finds it. */
export interface Kind extends Wording {
  /** Whether its reports are decoded against candidates. */
  readonly takesCandidates?: boolean;
  /** The field of an estimate that holds its rows. */
  readonly rows: string;
  /** The estimate, drawn. */
  Result(props: ResultProps<Estimate>): JSX.Element;
  /** What there must be before anything is shown. */
  TooFew(props: TooFewProps): JSX.Element;
  /** What enough reports still wait for. */
  waiting(words: Words, problem: Problem): string;
  /** The window whose sum can be downloaded, when a result of this window is shown. */
  summed(window: string): string;
  /** The planner's command for a collection like this one; null where it plans none. */
  plan(standing: Standing): string | null;
  /** How long a collection's windows are, in words. */
  windows(words: Words, windows: Windows, collection: Collection): string;
}
