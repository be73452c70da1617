/** A question, its answer's way through the device, and what became of it. */

import { useEffect, useRef, useState } from "preact/hooks";

import { askAdmission } from "../collector/admission";
import type { Standing } from "../collector/api";
import { deliver, letterOf, type Delay, type Outcome } from "../collector/deliver";
import { BudgetExceeded, Refused, momentOf, type Collection, type Moment } from "../device";
import { moment as momentText } from "../language";
import { downTo, upTo } from "../page/numbers";
import { reasonText } from "../page/reason";
import { Stranger, isolated, visible } from "../page/strangers";
import { kindOf } from "./kinds";
import { useWords, type Words } from "./language";
import { LedgerCard } from "./ledger";
import { ObstaclePage, known, obstacleOf, type Obstacle } from "./obstacle";
import { Answered, alone, type Fate, type Person, type Sent } from "./person";
import type { Place } from "./place";
import { Privacy } from "./privacy";
import { SentReport } from "./sent";

interface QuestionProps {
  readonly collection: Collection;
  readonly standing: Standing;
  readonly person: Person;
  readonly place: Place;
  /** Ask the collector anew how the collection stands. */
  readonly reload: () => void;
}

type Note = (words: Words) => string;

/** What the page knows of the person's last report, in this visit or an earlier one. */
interface Shown {
  readonly sent: Sent;
  /** Known only as long as the page is open. */
  readonly answer: string | null;
}

export function Question({ collection, standing, person, place, reload }: QuestionProps) {
  const words = useWords();
  const kind = kindOf(collection);
  const { key, invited } = collection;
  const { collector, invitation } = place;
  const [answer, setAnswer] = useState("");
  const [note, setNote] = useState<Note | null>(null);
  const [earlier, setEarlier] = useState<readonly Note[]>([]); // what became of other reports
  const [met, setMet] = useState<Obstacle | null>(null); // when an answer was to be sent
  const [isTried, setTried] = useState(false); // to send, though something wasn't answered
  const [shown, setShown] = useState<Shown | null>(() => {
    const sent = person.sent(key);
    return sent && { sent, answer: null };
  });
  const [changes, setChanges] = useState(0); // of what the person keeps
  const now = useClock(collection);
  const heading = useRef<HTMLHeadingElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const isBusy = useRef(false);

  const send = async (sent: Sent, before: boolean): Promise<void> => {
    const isLast = (): boolean => person.sent(key)?.id === sent.id;
    const say = (said: Note): void => {
      if (isLast()) setNote(() => said);
    };
    say((words) => words.sending);
    const letter = letterOf(collector, key, sent);
    const outcome = await deliver(letter, invitation, before, (delay) => say(delayText(delay)));
    const settled = await alone(() => person.settle(key, sent.id, fateOf(outcome)));
    const said = outcomeText(outcome);
    say(said);
    if (isLast()) setShown((shown) => shown && settled && { ...shown, sent: settled });
    else setEarlier((others) => [...others, said]);
    setChanges((count) => count + 1);
  };
  useEffect(() => {
    document.title = `${visible(collection.name)} · ${words.subject}`;
  }, [words]);
  useEffect(() => {
    if (invited && !invitation) return; // it would be refused for good
    for (const sent of person.unsettled(key)) void send(sent, true);
  }, []);

  const moment = momentOf(collection, now);
  const answered = moment !== null && person.hasAnswered(collection, moment);
  useEffect(() => setMet(null), [moment?.window, moment?.number]); // it was of another time

  /** Draw the report of the answer, if the collector would take one; null if there is none. */
  const draw = async (asked: Moment): Promise<Sent | null> => {
    setNote(() => (words: Words) => words.asking);
    const obstacle = obstacleOf(await askAdmission(place, key, asked.window));
    setMet(obstacle);
    setNote(null);
    if (obstacle) return null; // nothing was drawn: nothing is charged
    const current = momentOf(collection, Date.now() / 1000);
    if (current?.number !== asked.number || current.window !== asked.window) {
      setNote(() => (words: Words) => words.timeOver);
      return null;
    }
    const sent = await alone(() => person.answer(collection, current, kind.given(answer)));
    if (sent === null) setNote(() => (words: Words) => words.notYourRound);
    else setShown({ sent, answer });
    if (kind.momentary) setAnswer("");
    setTried(false);
    return sent;
  };
  const choose = (next: string): void => {
    setAnswer(next);
    if (!isTried || next === "") return;
    setTried(false); // nothing is missing any more
    setNote(null);
  };
  const fail = (error: unknown): null => {
    setNote(() => refusalText(error));
    setChanges((count) => count + 1);
    return null;
  };
  const submit = async (): Promise<void> => {
    const current = momentOf(collection, Date.now() / 1000);
    if (!current || isBusy.current) return;
    if (answer === "") {
      setNote(() => kind.unanswered);
      setTried(true);
      return goToUnanswered(form.current);
    }
    isBusy.current = true; // until the report is drawn; how long it is on its way is open
    const sent = await draw(current).catch(fail);
    isBusy.current = false;
    setChanges((count) => count + 1);
    if (sent === null) return;
    requestAnimationFrame(() => heading.current?.focus());
    await send(sent, false).catch(fail);
  };

  const found = answered ? null : obstacle({ collection, standing, now, invitation });
  const stands = found ?? (answered ? null : met);
  const last = shown?.sent.window === moment?.window ? shown?.sent : undefined; // of this time
  return (
    <main class="survey">
      <section class="ask">
        <p class="kicker">
          <Stranger text={collection.name} />
        </p>
        <h1>
          <Stranger text={collection.question} />
        </h1>
        {moment && <kind.Clock collection={collection} moment={moment} now={now} />}
        {stands !== null ? (
          <ObstaclePage
            obstacle={stands}
            retry={found ? reload : () => void submit()}
            met={found === null}
          >
            {standing.public && stands.name !== "notBegun" && (
              <Results collector={collector} collection={collection} />
            )}
          </ObstaclePage>
        ) : answered ? null : (
          <form
            ref={form}
            class={isTried ? "tried" : undefined}
            onSubmit={(event) => {
              event.preventDefault();
              void submit();
            }}
          >
            <kind.Field
              collection={collection}
              legend={kind.legend(words)}
              answer={answer}
              choose={choose}
            />
            <div class="promise">
              <p>
                <b>{words.promise}</b>
              </p>
              <Odds text={kind.odds(words, collection, answer)} />
            </div>
            <button type="submit" class="main">
              {kind.button(words)}
            </button>
          </form>
        )}
        <p class="status" role="status" aria-live="polite">
          {note?.(words)}
        </p>
        <p class="status" role="status" aria-live="polite">
          {earlier.map((said) => words.earlier(said(words))).join(" ")}
        </p>
        {answered && last?.settled !== false && (
          // Until then, what it waits for is said above.
          <div class="note">
            <p>{last?.fate === "refused" ? words.wasRefused : kind.answered(words, moment.ends)}</p>
            {standing.public && <Results collector={collector} collection={collection} />}
          </div>
        )}
      </section>
      {shown && (
        <SentReport
          key={shown.sent.id}
          heading={heading}
          collection={collection}
          collector={collector}
          sent={shown.sent}
          answer={shown.answer}
        />
      )}
      {stands === null && <Privacy collection={collection} place={place} />}
      {(stands === null || person.ledger.knows(key)) && (
        <LedgerCard key={changes} collection={collection} person={person} />
      )}
    </main>
  );
}

/** How answers are treated; what is said of each of several questions is there for who wants it. */
function Odds({ text }: { readonly text: string }) {
  const words = useWords();
  const [first, ...each] = text.split("\n");
  if (each.length < 2) return <p class="odds">{text}</p>;
  return (
    <>
      <p class="odds">{first}</p>
      <details>
        <summary>{words.oddsOfEach}</summary>
        <p class="odds">{each.join("\n")}</p>
      </details>
    </>
  );
}

/** To the first question that isn't answered; one that is marks its fields as `given`. */
function goToUnanswered(form: HTMLFormElement | null): void {
  const open = form?.querySelector("fieldset:not(.given, :has(:checked))") ?? form;
  const field = open?.querySelector("input");
  field?.focus();
  open?.scrollIntoView({ block: "nearest" });
}

/** The time, as often as it matters for a collection. */
function useClock(collection: Collection): number {
  const [now, setNow] = useState(Date.now() / 1000);
  useEffect(() => {
    if (!collection.windows) return undefined;
    const timer = setInterval(() => setNow(Date.now() / 1000), 250);
    return () => clearInterval(timer);
  }, [collection]);
  return now;
}

interface ResultsProps {
  readonly collection: Collection;
  readonly collector: string;
}

/** The way to the results, where anybody may read them. */
function Results({ collection, collector }: ResultsProps) {
  return (
    <a class="button" href={`${collector}/#${collection.key}`} rel="noreferrer">
      {useWords().results}
    </a>
  );
}

interface Situation {
  readonly collection: Collection;
  readonly standing: Standing;
  readonly now: number;
  readonly invitation: string;
}

/** Why nobody could answer now, as far as the page knows without asking again; or null. */
function obstacle({ collection, standing, now, invitation }: Situation): Obstacle | null {
  const { windows, invited } = collection;
  if (standing.state !== "open") return known(standing.state, standing.state === "paused");
  if (windows && now < windows.start) {
    const { start } = windows;
    return {
      name: "notBegun",
      says: (words) => words.notBegun(momentText(words, start)),
      passes: false, // by itself: the page follows the clock
    };
  }
  if (invited && !invitation) return known("notInvited");
  return kindOf(collection).obstacle(collection);
}

function delayText(delay: Delay): Note {
  const seconds = Math.ceil(delay.seconds);
  if (delay.kind === "busy")
    return (words) => words.busy(seconds, reasonText(words, delay.problem));
  return (words) => (navigator.onLine ? words.unreachable(seconds) : words.offline);
}

/** What is noted of a report that needs no further sending. */
function fateOf(outcome: Outcome): Fate {
  if (outcome.kind === "counted") return "counted";
  return outcome.doubtful ? "doubtful" : outcome.kind;
}

function outcomeText(outcome: Outcome): Note {
  if (outcome.kind === "counted")
    return (words) => (outcome.repeated ? words.repeated : words.counted);
  return (words) => {
    const said =
      outcome.kind === "late" ? words.late : words.refused(reasonText(words, outcome.problem));
    return outcome.doubtful ? `${said} ${words.doubtful}` : said;
  };
}

function refusalText(error: unknown): Note {
  if (error instanceof BudgetExceeded) {
    const { asked, spent, cap, left } = error;
    return (words) => words.overBudget(upTo(asked), upTo(spent), `${cap}`, downTo(left));
  }
  if (error instanceof Answered) return (words) => words.answeredOnce;
  // Sentences of the device hold no answer; anything else might.
  return (words) => words.failed(error instanceof Refused ? isolated(error.message) : "");
}
