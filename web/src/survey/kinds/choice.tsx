/** A choice in a survey: one of several answers. */

import { Grr, Points, conclude, odds } from "../../device";
import { getBit } from "../../device/packed";
import { moment as momentText } from "../../language";
import { peopleOf } from "../../page/numbers";
import { isolated } from "../../page/strangers";
import { answerPromise, choiceOdds, type ChoiceCollection } from "../../page/wording";
import { Likelihoods } from "../conclusion";
import { useWords, type Words } from "../language";
import type { ConclusionProps, Kind } from "./interface";
import { Options } from "./options";

const MOST_LISTED = 64; // answers that a report is spelt out for
const MOST_OTHERS = 6; // answers that get a no, of those

export const choice: Kind = {
  promise: answerPromise,
  odds: choiceOdds,
  Field: Options,
  legend: (words) => words.yourAnswer,
  button: (words) => words.send,
  unanswered: (words) => words.choose,
  given: (answer) => answer,
  momentary: false,
  Clock: () => null,
  obstacle: () => null,
  answered: (words, next) =>
    next === null ? words.answeredOnce : words.answeredWindow(momentText(words, next)),
  report(words, { mechanism, answers }: ChoiceCollection, record) {
    if (mechanism instanceof Grr) {
      return words.says(isolated(answers[mechanism.readReport(record)] as string));
    }
    const isYes = yesOf(mechanism, record);
    if (answers.length > MOST_LISTED) {
      const yes = answers.filter((_, place) => isYes(place)).length;
      return mechanism instanceof Points
        ? words.saysPoint(mechanism.readReport(record), yes, answers.length)
        : words.saysSome(yes, answers.length);
    }
    return yesText(words, answers, isYes);
  },
  meaning(words, { mechanism, answers }: ChoiceCollection, record, answer) {
    const people = peopleOf(odds(mechanism));
    const own = answers.indexOf(answer);
    if (mechanism instanceof Grr) {
      return mechanism.readReport(record) === own ? words.ownAnswer(people) : words.otherAnswer;
    }
    return yesOf(mechanism, record)(own) ? words.ownYes(people) : words.ownNo(people);
  },
  Conclusion: AllLikelihoods,
};

/** To which answers, by their numbers, a report says yes. */
function yesOf(
  mechanism: Exclude<ChoiceCollection["mechanism"], Grr>,
  record: Uint8Array,
): (answer: number) => boolean {
  if (mechanism instanceof Points) {
    const point = mechanism.readReport(record);
    return (answer) => mechanism.supports(point, answer);
  }
  const said = mechanism.readReport(record);
  const row = "row" in said ? said.row : said;
  return (answer) => getBit(row, answer);
}

function yesText(
  words: Words,
  answers: readonly string[],
  isYes: (answer: number) => boolean,
): string {
  const quoted = (wanted: boolean): string[] =>
    answers
      .filter((_, place) => isYes(place) === wanted)
      .map(isolated)
      .map(words.says);
  const [yes, no] = [quoted(true), quoted(false)];
  if (yes.length === 0) return words.saysNone;
  if (no.length === 0) return words.saysAll;
  if (no.length > MOST_OTHERS) return words.saysYesOf(words.list(yes), no.length);
  return words.saysYes(words.list(yes), words.list(no));
}

function AllLikelihoods({ collection, record }: ConclusionProps) {
  const words = useWords();
  return (
    <>
      <p>{words.concludeWhy}</p>
      <Likelihoods conclusion={conclude(collection, record)} />
    </>
  );
}
