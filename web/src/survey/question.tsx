/** A question, its answer's way through the device, and what became of it. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { Standing } from "../collector/api";
import { deliver, letterOf, type Delay, type Outcome } from "../collector/deliver";
import { BudgetExceeded, Refused, momentOf, type Collection } from "../device";
import { moment as momentText } from "../language";
import { downTo, upTo } from "../page/numbers";
import { reasonText } from "../page/reason";
import { Stranger, isolated } from "../page/strangers";
import { kindOf } from "./kinds";
import { useWords, type Words } from "./language";
import { LedgerCard } from "./ledger";
import { Answered, alone, type Person, type Sent } from "./person";
import type { Place } from "./place";
import { Privacy } from "./privacy";
import { SentReport } from "./sent";

interface QuestionProps {
  readonly collection: Collection;
  readonly standing: Standing;
  readonly person: Person;
  readonly place: Place;
}

type Note = (words: Words) => string;

/** What the page knows of the person's last report, in this visit or an earlier one. */
interface Shown {
  readonly sent: Sent;
  /** Known only as long as the page is open. */
  readonly answer: string | null;
}

export function Question({ collection, standing, person, place }: QuestionProps) {
  const words = useWords();
  const kind = kindOf(collection);
  const { key, invited } = collection;
  const { collector, invitation } = place;
  const [answer, setAnswer] = useState("");
  const [note, setNote] = useState<Note | null>(null);
  const [earlier, setEarlier] = useState<readonly Note[]>([]); // what became of other reports
  const [shown, setShown] = useState<Shown | null>(() => {
    const sent = person.sent(key);
    return sent && { sent, answer: null };
  });
  const [changes, setChanges] = useState(0); // of what the person keeps
  const now = useClock(collection);
  const heading = useRef<HTMLHeadingElement>(null);

  const send = async (sent: Sent, before: boolean): Promise<void> => {
    const isLast = (): boolean => person.sent(key)?.id === sent.id;
    const say = (said: Note): void => {
      if (isLast()) setNote(() => said);
    };
    say((words) => words.sending);
    const letter = letterOf(collector, key, sent);
    const outcome = await deliver(letter, invitation, before, (delay) => say(delayText(delay)));
    await alone(() => person.settle(key, sent.id));
    const said = outcomeText(outcome);
    say(said);
    if (!isLast()) setEarlier((others) => [...others, said]);
    setChanges((count) => count + 1);
  };
  useEffect(() => {
    if (invited && !invitation) return; // it would be refused for good
    for (const sent of person.unsettled(key)) void send(sent, true);
  }, []);

  const moment = momentOf(collection, now);
  const answered = moment !== null && person.hasAnswered(collection, moment);
  const submit = async (): Promise<void> => {
    const current = momentOf(collection, Date.now() / 1000);
    if (!current) return;
    if (answer === "") {
      setNote(() => kind.unanswered);
      return;
    }
    try {
      const sent = await alone(() => person.answer(collection, current, answer));
      setChanges((count) => count + 1);
      if (sent === null) {
        setNote(() => (words: Words) => words.notYourRound);
        return;
      }
      setShown({ sent, answer });
      requestAnimationFrame(() => heading.current?.focus());
      await send(sent, false);
    } catch (error) {
      setNote(() => refusalText(error));
      setChanges((count) => count + 1);
    } finally {
      if (kind.momentary) setAnswer("");
    }
  };

  const closed = hindrance(words, { collection, standing, now, invitation });
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
        {closed !== null ? (
          <p class="notice">{closed}</p>
        ) : answered ? (
          <p class="note">{kind.answered(words, moment.ends)}</p>
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void submit();
            }}
          >
            <kind.Field
              collection={collection}
              legend={kind.legend(words)}
              answer={answer}
              choose={setAnswer}
            />
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
      <Privacy collection={collection} answer={answer} place={place} />
      <LedgerCard key={changes} collection={collection} person={person} />
    </main>
  );
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

interface Situation {
  readonly collection: Collection;
  readonly standing: Standing;
  readonly now: number;
  readonly invitation: string;
}

/** Why nobody could answer now, or null. */
function hindrance(words: Words, { collection, standing, now, invitation }: Situation) {
  if (standing.state !== "open") return words[standing.state];
  const { windows, invited } = collection;
  if (windows && now < windows.start) return words.notBegun(momentText(words, windows.start));
  const uninvited = invited && !invitation ? words.notInvited : null;
  return kindOf(collection).hindrance(words, collection) ?? uninvited;
}

function delayText(delay: Delay): Note {
  const seconds = Math.ceil(delay.seconds);
  if (delay.kind === "busy")
    return (words) => words.busy(seconds, reasonText(words, delay.problem));
  return (words) => (navigator.onLine ? words.unreachable(seconds) : words.offline);
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
