/** Several questions on the dashboard: a chart of the shares of each one's answers. */

import type { Answers, Estimate, QuestionShares, Several, Truth } from "../../collector/api";
import { Stranger } from "../../page/strangers";
import { severalOdds, type SeveralCollection } from "../../page/wording";
import { useWords } from "../language";
import { choice, marginFigure, peopleFigure } from "./choice";
import { decimalsOf } from "../../page/numbers";
import type { ChangeProps, Kind, ResultProps } from "./interface";

export const several: Kind = {
  ...choice,
  odds: (words, collection: SeveralCollection) => severalOdds(words, collection),
  rows: "questions",
  figures(words, estimate) {
    const { questions, window, n, level } = estimate as Several;
    const rows = questions.flatMap(({ answers }) => answers);
    const decimals = decimalsOf(rows.map(({ stderr }) => stderr));
    return [peopleFigure(words, window, n), marginFigure(words, rows, decimals, level)];
  },
  isDrawn: false, // a picture is of one chart
  Result: AllShares,
  Change: AllChanges,
  History: null,
};

/** One question's shares, as an estimate of a collection that asks it alone. */
function alone({ window, level }: Several, { n, answers }: QuestionShares): Answers {
  return { window, level, n, answers };
}

/** The truth of one question, whose answers stand behind its name. */
function truthOf(truth: Truth | null, { name, answers }: QuestionShares): Truth | null {
  if (truth === null) return null;
  return Object.fromEntries(
    answers.map(({ answer }) => [answer, truth[`${name}: ${answer}`] as number]),
  );
}

function AllShares({ estimate, truth, children, ...props }: ResultProps<Estimate>) {
  const words = useWords();
  const shown = estimate as Several;
  return (
    <>
      {shown.questions.map((question) => (
        <section key={question.name} class="question">
          <h2>
            <Stranger text={question.question} />
          </h2>
          {question.withheld ? (
            <p class="notice">{words.questionWithheld}</p>
          ) : (
            <choice.Result
              {...props}
              estimate={alone(shown, question)}
              truth={truthOf(truth, question)}
            />
          )}
        </section>
      ))}
      <div class="switches-below">{children}</div>
    </>
  );
}

function AllChanges({ now, then, calendar }: ChangeProps<Estimate>) {
  const Change = choice.Change as NonNullable<Kind["Change"]>;
  const [later, earlier] = [now as Several, then as Several];
  const before = new Map(earlier.questions.map((question) => [question.name, question]));
  return (
    <>
      {later.questions.map((question) => {
        const old = before.get(question.name);
        if (!old || old.withheld || question.withheld) return null;
        return (
          <section key={question.name} class="question">
            <h2>
              <Stranger text={question.question} />
            </h2>
            <Change now={alone(later, question)} then={alone(earlier, old)} calendar={calendar} />
          </section>
        );
      })}
    </>
  );
}
