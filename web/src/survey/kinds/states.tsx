/** A state over time in a survey: one of two, chosen anew in each round. */

import { odds, type Continual } from "../../device";
import { peopleOf } from "../../page/numbers";
import { isolated } from "../../page/strangers";
import { historyPromise, statesOdds, type CollectionBy } from "../../page/wording";
import { useWords } from "../language";
import { known } from "../obstacle";
import { choice } from "./choice";
import type { ClockProps, Kind } from "./interface";

export const states: Kind = {
  ...choice,
  promise: historyPromise,
  odds: statesOdds,
  legend: (words) => words.yourState,
  button: (words) => words.observe,
  momentary: true,
  Clock: RoundClock,
  obstacle: ({ windows }) => (windows ? null : known("noSchedule")),
  answered: (words) => words.roundDone,
  report(words, { mechanism, answers }: CollectionBy<Continual>, record) {
    const { round, bit } = mechanism.readReport(record);
    return words.saysState(round, isolated(answers[bit] as string));
  },
  meaning(words, { mechanism, answers }: CollectionBy<Continual>, record, answer) {
    const { bit } = mechanism.readReport(record);
    if (bit === 0 && mechanism.looks < mechanism.reportsEach) return words.saidAnyway;
    return bit === answers.indexOf(answer)
      ? words.ownState(peopleOf(odds(mechanism)))
      : words.otherState;
  },
};

interface RoundClockProps extends ClockProps {
  readonly collection: CollectionBy<Continual>;
}

function RoundClock({ collection, moment: { number, ends }, now }: RoundClockProps) {
  const words = useWords();
  const { rounds } = collection.mechanism;
  if (number === null || ends === null) return null; // nothing says when its rounds are
  return (
    <p class="clock">
      <b>{words.round(((number - 1) % rounds) + 1, rounds)}</b>{" "}
      <span aria-hidden="true">{words.ends(Math.max(0, Math.ceil(ends - now)))}</span>
    </p>
  );
}
