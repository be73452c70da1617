/** Several questions in a survey: all on one page, and one report that is of them together. */

import { Fragment } from "preact";
import { useState } from "preact/hooks";

import { Grr, JointQuestions, SampledQuestions, concludeOne, type Part } from "../../device";
import { isolated, visible } from "../../page/strangers";
import { oneOf, severalOdds, tableOf, type SeveralCollection } from "../../page/wording";
import { Likelihoods } from "../conclusion";
import { useWords } from "../language";
import { choice } from "./choice";
import type { ConclusionProps, FieldProps, Kind } from "./interface";
import { AnswerList } from "./options";

const MOST_COMBINATIONS = 64; // that a report is spelt out for

/** What the page keeps of an answer is a text: none before all are given, then the labels as JSON. */
const labelsOf = (answer: string): string[] => (answer === "" ? [] : JSON.parse(answer));

export const several: Kind = {
  ...choice,
  odds: (words, collection: SeveralCollection, answer = "") =>
    severalOdds(words, collection, labelsOf(answer)),
  Field: AllQuestions,
  unanswered: (words) => words.answerAll,
  given: labelsOf,
  report(words, collection: SeveralCollection, record) {
    const { mechanism, parts } = collection;
    if (mechanism instanceof JointQuestions) {
      const table = tableOf(collection, mechanism);
      if (mechanism.table instanceof Grr || mechanism.table.k <= MOST_COMBINATIONS) {
        return choice.report(words, table, record);
      }
      const yes = concludeCells(mechanism, record);
      return words.saysCombinations(yes, mechanism.table.k);
    }
    const said = mechanism.readReport(record).map((told) => {
      const { question } = parts[told.question] as Part;
      const ofIt = choice.report(words, oneOf(collection, told.question), told.record);
      return words.ofQuestion(isolated(question), ofIt);
    });
    return said.join("\n");
  },
  meaning(words, collection: SeveralCollection, record, answer) {
    const { mechanism, parts } = collection;
    const labels = labelsOf(answer);
    if (mechanism instanceof JointQuestions) {
      return choice.meaning(words, tableOf(collection, mechanism), record, labels.join(" / "));
    }
    const isDrawn = mechanism instanceof SampledQuestions;
    const meant = mechanism.readReport(record).map(({ question: at, record: own }) => {
      const { question } = parts[at] as Part;
      const label = labels[at] as string;
      const ofIt = choice.meaning(words, oneOf(collection, at), own, label);
      return isDrawn
        ? [words.drawn(isolated(question)), ofIt].join("\n")
        : words.ofQuestion(isolated(question), ofIt);
    });
    return meant.join("\n");
  },
  Conclusion: EachQuestion,
};

/** How many combinations a report says yes to. */
function concludeCells({ table }: JointQuestions, record: Uint8Array): number {
  const row = table.readReport(record);
  if (!(row instanceof BigUint64Array)) return 1;
  let count = 0;
  for (const word of row) for (let left = word; left > 0n; left &= left - 1n) count++;
  return count;
}

function AllQuestions({ collection, answer, choose }: FieldProps) {
  const { parts } = collection;
  const [chosen, setChosen] = useState<readonly string[]>(() => {
    const labels = labelsOf(answer);
    return parts.map((_, question) => labels[question] ?? "");
  });
  const put = (question: number, label: string): void => {
    const next = chosen.map((before, at) => (at === question ? label : before));
    setChosen(next);
    choose(next.includes("") ? "" : JSON.stringify(next));
  };
  return (
    <>
      {parts.map(({ name, question, answers }, at) => (
        <AnswerList
          key={name}
          answers={answers}
          legend={visible(question)}
          type="radio"
          isOneOf
          name={`answer ${at + 1}`}
          chosen={chosen[at] === "" ? [] : [chosen[at] as string]}
          choose={(label) => put(at, label)}
        />
      ))}
    </>
  );
}

/** How likely each answer to each question is after the report. */
function EachQuestion({ collection, record }: ConclusionProps) {
  const words = useWords();
  const { mechanism, parts } = collection as SeveralCollection;
  const told =
    mechanism instanceof SampledQuestions
      ? mechanism.readReport(record).map(({ question }) => question)
      : parts.map((_, question) => question);
  return (
    <>
      {told.map((at) => (
        <Fragment key={at}>
          <p>{words.concludeOne(isolated(parts[at]?.question ?? ""))}</p>
          <Likelihoods conclusion={concludeOne(collection, record, at)} />
        </Fragment>
      ))}
      {told.length < parts.length && <p>{words.concludeNone}</p>}
    </>
  );
}
