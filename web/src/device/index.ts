/** The device in a browser: what a page needs of it. */

export { Collection, type Answer, type Changes, type Part, type Windows } from "./collection";
export { Continual } from "./continual";
export { Device, type Report, type ReportOptions, type RoundReport } from "./device";
export { Diary, Memory, type Keeper } from "./diary";
export { InvalidAnswer, InvalidDocument, InvalidReport, Refused, RoundPassed } from "./errors";
export { roundUp, toNumber, type Fraction } from "./fractions";
export { Grr } from "./grr";
export { BudgetExceeded, Ledger } from "./ledger";
export type { Categorical, Mechanism, Single } from "./mechanisms";
export {
  chanceOf,
  conclude,
  concludeOne,
  everyReport,
  mostRatio,
  odds,
  type Conclusion,
  type Odds,
} from "./odds";
export { Loloha } from "./loloha";
export { HadamardResponse, Points, ProjectiveGeometry } from "./points";
export { Range, type Placed } from "./ranges";
export { Rappor } from "./rappor";
export { KeySecret, PlainSecret, SECRET_BYTES, type Secret } from "./secret";
export { SetResponse } from "./set_response";
export { JointQuestions, SampledQuestions, SeveralQuestions, SplitQuestions } from "./several";
export { SubsetSelection } from "./subset";
export { Unary } from "./unary";
export { SquareWave } from "./wave";
export { Window } from "./window";
export { momentOf, type Moment } from "./windows";
