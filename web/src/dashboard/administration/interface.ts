/** The administration as the dashboard knows it before it is there. */

import type { Standing } from "../../collector/api";
import type { Session } from "../session";

/** Somebody who may change something, and how the dashboard hears of it. */
interface Changing {
  readonly token: string;
  readonly session: Session;
  /** Something has changed: look at all collections again. */
  readonly changed: () => Promise<void>;
  /** Says what was done, for eyes and ears. */
  readonly tell: (sentence: string) => void;
}

export type ToolsProps = Changing;

export interface ManageProps extends Changing {
  readonly standing: Standing;
}
