/** What is asked, what is known and what is to be found, and all further wishes. */

import { useId, useRef } from "preact/hooks";

import { whole } from "../language";
import { epsilonText, valueText } from "./advice";
import type { Plan } from "./answer";
import { WishEntry, type EntryProps } from "./entries";
import {
  FIELDS,
  FOUND,
  KINDS,
  OWN,
  furtherOf,
  goalsOf,
  type Found,
  type Goal,
  type Range,
} from "./fields";
import { FIRST, fieldOf, finding, goalOf, isMean, saidOf, type Wishes } from "./wishes";
import { useWords } from "./language";
import { betOf } from "./sense";

interface FormProps {
  readonly wishes: Wishes;
  /** The next wishes, and whether one should come back to those before by the browser's button. */
  readonly change: (next: Wishes, isStep?: boolean) => void;
  readonly wrong: EntryProps["wrong"];
  /** The last plan; null if there is none. */
  readonly plan: Plan | null;
  /** Whether that is the plan of these wishes. */
  readonly isCurrent: boolean;
}

export function PlanForm({ wishes, change, wrong, plan, isCurrent }: FormProps) {
  const words = useWords();
  const set: EntryProps["set"] = (field, text) =>
    change({ ...wishes, values: { ...wishes.values, [field]: text } });
  const entry = { wishes, set, wrong };
  return (
    <form class="card wishes" onSubmit={(event) => event.preventDefault()}>
      <Segments
        legend={words.asks}
        options={KINDS.map((kind) => [kind, words.kinds[kind]] as const)}
        value={wishes.kind}
        choose={(kind) => change({ ...wishes, kind }, true)}
        hint={words.kindsWhy[wishes.kind]}
      />
      <Own {...entry} />
      <hr />
      <Segments
        legend={words.find}
        options={FOUND.map((found) => [found, words.finds[found]] as const)}
        value={wishes.found}
        choose={(found) => change(finding(wishes, found, isCurrent ? plan : null))}
        hint={words.findsWhy[wishes.found]}
      />
      {FOUND.map((each) =>
        each === wishes.found ? (
          <FoundPart key={each} found={each} plan={plan} isCurrent={isCurrent} wishes={wishes} />
        ) : each === "people" ? (
          <WishEntry key={each} field="people" title={words.people} {...entry} />
        ) : each === "epsilon" ? (
          <EpsilonEntry key={each} {...entry} />
        ) : (
          <Aim key={each} aim={(goal) => change({ ...wishes, goal })} {...entry} />
        ),
      )}
      <Further {...entry} />
    </form>
  );
}

/** What only this kind of question has. */
function Own(entry: EntryProps) {
  const { wishes } = entry;
  return (
    <div class="own">
      {OWN[wishes.kind]
        .filter((field) => field !== "bins" || !isMean(wishes))
        .map((field) => (
          <WishEntry key={field} field={field} {...entry} />
        ))}
    </div>
  );
}

/** ε, between ends that are named by what they give, and what the one between them gives. */
function EpsilonEntry(entry: EntryProps) {
  const words = useWords();
  const said = saidOf("epsilon", entry.wishes.values.epsilon);
  const end = (epsilon: number) => [epsilonText(words, epsilon), betOf(epsilon)] as const;
  const { from, to } = FIELDS.epsilon.slider as Range;
  const hint = (
    <>
      <span class="ends">
        <span>{words.lowEnd(...end(from))}</span> <span>{words.highEnd(...end(to))}</span>
      </span>
      {said !== null && words.between(betOf(Number(said)))}
    </>
  );
  return <WishEntry field="epsilon" title={words.epsilonTitle} hint={hint} {...entry} />;
}

/** What is aimed at, and its value. */
function Aim({ aim, ...entry }: EntryProps & { readonly aim: (goal: Goal) => void }) {
  const words = useWords();
  const id = useId();
  const { wishes } = entry;
  const goals = goalsOf(wishes.kind, isMean(wishes));
  const goal = goalOf(wishes);
  return (
    <div class={goals.length > 1 ? "aim chosen" : "aim"}>
      {goals.length > 1 && (
        <div class="entry">
          <label for={id}>{words.aim}</label>
          <select
            id={id}
            value={goal}
            onChange={({ currentTarget }) => aim(currentTarget.value as Goal)}
          >
            {goals.map((each) => (
              <option key={each} value={each}>
                {words.aims[each]}
              </option>
            ))}
          </select>
        </div>
      )}
      <WishEntry
        field={fieldOf(wishes, goal)}
        title={words.aims[goal]}
        hint={wishes.kind === "stream" ? words.curveRound : words.aimsWhy[goal]}
        {...entry}
      />
    </div>
  );
}

interface FoundProps extends Pick<FormProps, "wishes" | "plan" | "isCurrent"> {
  readonly found: Found;
}

/** What is found, in the place in which it could be given. */
function FoundPart({ found, wishes, plan, isCurrent }: FoundProps) {
  const words = useWords();
  const titles = {
    people: words.people,
    epsilon: words.epsilonTitle,
    error: words.curveGoals.error,
  };
  const texts = {
    people: (made: Plan) => whole(words, made.recommended.people),
    epsilon: (made: Plan) => epsilonText(words, made.recommended.epsilon),
    error: (made: Plan) => `±\u00a0${valueText(words, made, made.recommended.error)}`,
  };
  const title = wishes.kind === "stream" && found === "error" ? words.curveRound : titles[found];
  const shown = plan?.found === found && plan.kind === wishes.kind ? plan : null;
  return (
    <dl class={isCurrent ? "found" : "found old"}>
      <dt>{title}</dt>
      <dd>
        <b>{shown ? texts[found](shown) : isCurrent ? "–" : "…"}</b>{" "}
        {shown && <small>{words.isFound}</small>}{" "}
        {!isCurrent && <small class="late">{words.reckoning}</small>}
      </dd>
    </dl>
  );
}

/** Wishes that most plans can do without: folded away as long as they are as usual. */
function Further(entry: EntryProps) {
  const words = useWords();
  const { wishes } = entry;
  const fields = furtherOf(wishes.kind, isMean(wishes));
  const isOpen = useRef(false); // and stays so: nobody types into what folds away
  isOpen.current ||= fields.some((field) => wishes.values[field] !== FIRST.values[field]);
  return (
    <details open={isOpen.current}>
      <summary>{words.further}</summary>
      {fields
        .filter((field) => field !== "changes" || wishes.values.visits !== "1")
        .map((field) => (
          <WishEntry key={field} field={field} {...entry} />
        ))}
    </details>
  );
}

interface SegmentsProps<Value extends string> {
  readonly legend: string;
  readonly options: readonly (readonly [value: Value, title: string])[];
  readonly value: Value;
  readonly choose: (value: Value) => void;
  /** What the chosen one means. */
  readonly hint: string;
}

/** One of a few that stand side by side. */
function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { legend, options, value, choose, hint } = props;
  const id = useId();
  return (
    <fieldset class={options.length > 3 ? "segments" : "segments few"}>
      <legend>{legend}</legend>
      <div>
        {options.map(([each, title]) => (
          <label key={each}>
            <input
              type="radio"
              name={id}
              value={each}
              checked={each === value}
              onChange={() => choose(each)}
            />
            <span>{title}</span>
          </label>
        ))}
      </div>
      <small>{hint}</small>
    </fieldset>
  );
}
