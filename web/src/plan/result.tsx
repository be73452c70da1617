/** A plan in words and pictures, or why there is none and what would do. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

import type { Problem } from "../collector/problem";
import { whole } from "../language";
import { Command, Copy } from "../page/copy";
import { reasonText } from "../page/reason";
import { Stranger } from "../page/strangers";
import { adviceOf, epsilonText, noiseOf, percentText, short, warningsOf } from "./advice";
import { refusalOf, type Answer, type Plan } from "./answer";
import { Curve } from "./curve";
import { GOALS, type Goal } from "./fields";
import { useWords, type Words } from "./language";
import { Mechanisms, Trust } from "./mechanisms";
import { betOf, fitsOf, strengthOf } from "./sense";
import { following, isInNumbers, type Wishes } from "./wishes";

interface ResultProps {
  readonly answer: Answer | null;
  readonly isWaiting: boolean;
  /** Whether some wishes can't be read, so that nothing is asked. */
  readonly isUnreadable: boolean;
  readonly isCollector: boolean;
  readonly wishes: Wishes;
  readonly change: (next: Wishes, isStep?: boolean) => void;
}

export function Result(props: ResultProps) {
  const words = useWords();
  const { answer, isWaiting, isUnreadable, isCollector } = props;
  const isOld = isWaiting || isUnreadable;
  const advice = useRef<HTMLElement>(null);
  return (
    <div class={isOld ? "results old" : "results"} aria-busy={isWaiting}>
      <section ref={advice} class="card advice" tabIndex={-1} aria-label={words.answered}>
        <div role="status">
          {isUnreadable ? (
            <p>{words.unreadable}</p>
          ) : answer === null ? (
            <p>{words.reckoning}</p>
          ) : answer.plan ? (
            <Recommended plan={answer.plan} />
          ) : (
            <Refused answer={answer} />
          )}
        </div>
        {answer && !answer.plan && !isUnreadable && (
          <WaysOut
            problem={answer.problem}
            wishes={props.wishes}
            take={(next) => {
              props.change(next, true);
              advice.current?.focus(); // the button will be gone
            }}
          />
        )}
      </section>
      {answer?.plan && (
        <>
          <Meaning plan={answer.plan} />
          <Curve plan={answer.plan} />
          <Mechanisms plan={answer.plan} />
          <Trust plan={answer.plan} />
          <Next plan={answer.plan} query={answer.query} isCollector={isCollector} />
        </>
      )}
    </div>
  );
}

function Recommended({ plan }: { readonly plan: Plan }) {
  const words = useWords();
  return (
    <>
      <p class="sentence">{words.advice(adviceOf(words, plan))}</p>
      {warningsOf(words, plan).map((warning) => (
        <p key={warning} class="notice">
          <b>{words.beware}</b> {warning}
        </p>
      ))}
    </>
  );
}

function Refused({ answer }: { readonly answer: Answer }) {
  const words = useWords();
  const refusal = refusalOf(answer.problem);
  if (!refusal) return <p class="notice">{words.failed(reasonText(words, answer.problem))}</p>;
  const said = refusedText(words, answer, refusal);
  return (
    <>
      <h2>{words.refused}</h2>
      {said ? (
        <p class="sentence">{said}</p>
      ) : (
        <>
          <p>{words.refusedOther}</p>
          <p lang="en">
            <Stranger text={refusal.message} />
          </p>
        </>
      )}
    </>
  );
}

/** Why there is no plan, if its code has words here. */
function refusedText(words: Words, answer: Answer, { code }: Problem): string | null {
  const { refusals } = words;
  if (!Object.hasOwn(refusals, code)) return null;
  return refusals[code as keyof typeof refusals](noiseOf(words, answer));
}

interface WaysOutProps {
  readonly problem: unknown;
  readonly wishes: Wishes;
  readonly take: (next: Wishes) => void;
}

/** What would do instead, each a button that changes the wishes so. */
function WaysOut({ problem, wishes, take }: WaysOutProps) {
  const words = useWords();
  const ways = (refusalOf(problem)?.waysOut ?? []).flatMap((way) => {
    const [name = "", value = 0] = Object.entries(way)[0] ?? [];
    const says = words.ways[name];
    const next = following(wishes, way);
    return says && next ? [{ name, says: says(wayText(words, wishes, name, value)), next }] : [];
  });
  if (ways.length === 0) return null;
  return (
    <>
      <h3>{words.waysOut}</h3>
      <div class="buttons">
        {ways.map(({ name, says, next }) => (
          <button key={name} type="button" onClick={() => take(next)}>
            {says}
          </button>
        ))}
      </div>
    </>
  );
}

function wayText(words: Words, wishes: Wishes, name: string, value: number): string {
  if (name === "epsilon") return epsilonText(words, value);
  if (!GOALS.includes(name as Goal)) return whole(words, value);
  return isInNumbers(wishes) ? short(words, value) : percentText(words, value);
}

/** What ε means for whoever answers: a bet, and how often reports fit. */
function Meaning({ plan }: { readonly plan: Plan }) {
  const words = useWords();
  const { recommended, truth } = plan;
  const fits = truth && fitsOf(truth.fits_own, truth.fits_other);
  const of = fits ? whole(words, fits.of) : "";
  return (
    <section class="card meant">
      <h2>{words.meaning}</h2>
      <p class="epsilon">{words.epsilon(epsilonText(words, recommended.epsilon))}</p>
      <p>
        {words.bet(betOf(recommended.epsilon))}{" "}
        <b>{words.strengths[strengthOf(recommended.epsilon)]}</b>
      </p>
      {fits && (
        <div class="fits">
          <Fit part={fits.own / fits.of}>{words.fitsOwn(of, whole(words, fits.own))}</Fit>
          <Fit part={fits.other / fits.of} isOther>
            {words.fitsOther(of, whole(words, fits.other))}
          </Fit>
        </div>
      )}
    </section>
  );
}

interface FitProps {
  readonly part: number;
  readonly isOther?: boolean;
  readonly children: ComponentChildren;
}

/** A part of all people, as a bar below its words. */
function Fit({ part, isOther = false, children }: FitProps) {
  return (
    <div>
      <p>{children}</p>
      <svg aria-hidden="true" height="12">
        <rect class="all" width="100%" height="12" rx="3" />
        <rect class={isOther ? "fill below" : "fill"} width={`${100 * part}%`} height="12" rx="3" />
      </svg>
    </div>
  );
}

interface NextProps {
  readonly plan: Plan;
  readonly query: string;
  readonly isCollector: boolean;
}

function Next({ plan, query, isCollector }: NextProps) {
  const words = useWords();
  const copying = { says: words.copy, copied: words.copied };
  const isMade = plan.collection !== null;
  return (
    <section class="card next">
      <h2>{words.next}</h2>
      {isMade && isCollector && (
        <p>
          <a class="button main" href={`/#plan?${query}`}>
            {words.make}
          </a>
          <small>{words.makeWhy}</small>
        </p>
      )}
      <p>{isMade ? words.nextWhy : words.nextJoint}</p>
      <Command text={plan.command} {...copying} />
      <p class="fine">{words.address}</p>
      <p class="buttons">
        <Copy
          text={`${location.origin}${location.pathname}?${query}`}
          says={words.copyAddress}
          copied={words.copied}
        />
      </p>
    </section>
  );
}
