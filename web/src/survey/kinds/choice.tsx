/** A choice in a survey: one of several answers. */

import { Grr, conclude, odds } from "../../device";
import { getBit } from "../../device/packed";
import { moment as momentText } from "../../language";
import { peopleOf } from "../../page/numbers";
import { isolated } from "../../page/strangers";
import { answerPromise, choiceOdds, type ChoiceCollection } from "../../page/wording";
import { Likelihoods } from "../conclusion";
import { useWords, type Words } from "../language";
import type { ConclusionProps, Kind } from "./interface";
import { Options } from "./options";

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
    const said = mechanism.readReport(record);
    return yesText(words, answers, "row" in said ? said.row : said);
  },
  meaning(words, { mechanism, answers }: ChoiceCollection, record, answer) {
    const people = peopleOf(odds(mechanism));
    const own = answers.indexOf(answer);
    if (mechanism instanceof Grr) {
      return mechanism.readReport(record) === own ? words.ownAnswer(people) : words.otherAnswer;
    }
    const said = mechanism.readReport(record);
    return getBit("row" in said ? said.row : said, own)
      ? words.ownYes(people)
      : words.ownNo(people);
  },
  Conclusion: AllLikelihoods,
};

function yesText(words: Words, answers: readonly string[], row: BigUint64Array): string {
  const quoted = (isYes: boolean): string[] =>
    answers
      .filter((_, place) => getBit(row, place) === isYes)
      .map(isolated)
      .map(words.says);
  const [yes, no] = [quoted(true), quoted(false)];
  if (yes.length === 0) return words.saysNone;
  if (no.length === 0) return words.saysAll;
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
