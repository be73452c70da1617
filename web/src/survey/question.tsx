/** A question, its answer's way through the device, and what became of it. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { Standing } from "../collector/api";
import { deliver, letterOf, type Delay, type Outcome } from "../collector/deliver";
import { BudgetExceeded, Glance, Refused, momentOf, type Collection, type Keeper } from "../device";
import { moment as momentText } from "../language";
import { downTo, upTo } from "../page/numbers";
import { reasonText } from "../page/reason";
import { AnswerForm } from "./form";
import { invitationOf } from "./invitation";
import { useWords, type Words } from "./language";
import { LedgerCard } from "./ledger";
import { Answered, Person, alone, type Sent } from "./person";
import { Privacy } from "./privacy";
import { SentReport } from "./sent";

interface QuestionProps {
  readonly collection: Collection;
  readonly standing: Standing;
  readonly keeper: Keeper;
}

type Note = (words: Words) => string;

/** What the page knows of the person's last report, in this visit or an earlier one. */
interface Shown {
  readonly sent: Sent;
  /** Known only as long as the page is open. */
  readonly answer: string | null;
}

export function Question({ collection, standing, keeper }: QuestionProps) {
  const words = useWords();
  const [person] = useState(() => new Person(keeper));
  const [answer, setAnswer] = useState("");
  const [note, setNote] = useState<Note | null>(null);
  const [shown, setShown] = useState<Shown | null>(() => {
    const sent = person.sent(collection.key);
    return sent && { sent, answer: null };
  });
  const [changes, setChanges] = useState(0); // of what the person keeps
  const now = useClock(collection);
  const heading = useRef<HTMLHeadingElement>(null);
  const invitation = invitationOf(location.hash);

  const send = async (sent: Sent): Promise<void> => {
    const letter = letterOf(collection.key, sent.window, sent.id, sent.record);
    setNote(() => (words: Words) => words.sending);
    const outcome = await deliver(letter, invitation, (delay) => setNote(() => delayText(delay)));
    await alone(() => person.settle(collection.key, sent));
    setNote(() => outcomeText(outcome));
    setChanges((count) => count + 1);
  };
  useEffect(() => {
    if (shown && !shown.sent.settled) void send(shown.sent);
  }, []);

  const moment = momentOf(collection, now);
  const answered = moment !== null && person.hasAnswered(collection, moment);
  const submit = async (): Promise<void> => {
    const current = momentOf(collection, Date.now() / 1000);
    if (!current) return;
    const free = collection.freeText;
    if (answer === "") {
      setNote(() => (words: Words) => (free ? words.write : words.choose));
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
      await send(sent);
    } catch (error) {
      setNote(() => refusalText(error));
      setChanges((count) => count + 1);
    } finally {
      if (collection.overTime) setAnswer("");
    }
  };

  const closed = hindrance(words, { collection, standing, now, invitation });
  return (
    <main class="survey">
      <section class="ask">
        <p class="kicker">{collection.name}</p>
        <h1>{collection.question}</h1>
        {collection.mechanism instanceof Glance && moment?.number != null && (
          <RoundClock mechanism={collection.mechanism} {...moment} now={now} />
        )}
        {closed !== null ? (
          <p class="notice">{closed}</p>
        ) : answered ? (
          <p class="note">{answeredText(words, collection, moment.ends)}</p>
        ) : (
          <AnswerForm
            collection={collection}
            answer={answer}
            choose={setAnswer}
            submit={() => void submit()}
          />
        )}
        <p class="status" role="status" aria-live="polite">
          {note?.(words)}
        </p>
      </section>
      {shown && (
        <SentReport
          key={shown.sent.id}
          heading={heading}
          collection={collection}
          sent={shown.sent}
          answer={shown.answer}
          invited={collection.invited}
        />
      )}
      <Privacy collection={collection} answer={answer} invitation={invitation} />
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

interface RoundClockProps {
  readonly mechanism: Glance;
  readonly number: number | null;
  readonly ends: number | null;
  readonly now: number;
}

function RoundClock({ mechanism, number, ends, now }: RoundClockProps) {
  const words = useWords();
  const { rounds } = mechanism;
  const round = (((number ?? 1) - 1) % rounds) + 1;
  return (
    <p class="clock">
      <b>{words.round(round, rounds)}</b>{" "}
      <span aria-hidden="true">{words.ends(Math.max(0, Math.ceil((ends ?? now) - now)))}</span>
    </p>
  );
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
  if (collection.overTime && !collection.windows) return words.noSchedule;
  if (collection.windows && now < collection.windows.start) {
    return words.notBegun(momentText(words, collection.windows.start));
  }
  return collection.invited && !invitation ? words.notInvited : null;
}

function answeredText(words: Words, collection: Collection, ends: number | null): string {
  if (collection.overTime) return words.roundDone;
  return ends === null ? words.answeredOnce : words.answeredWindow(momentText(words, ends));
}

function delayText(delay: Delay): Note {
  const seconds = Math.ceil(delay.seconds);
  if (delay.kind === "busy")
    return (words) => words.busy(seconds, reasonText(words, delay.problem));
  return (words) => (navigator.onLine ? words.unreachable(seconds) : words.offline);
}

function outcomeText(outcome: Outcome): Note {
  if (outcome.kind === "refused")
    return (words) => words.refused(reasonText(words, outcome.problem));
  if (outcome.kind === "late") return (words) => words.late;
  return (words) => (outcome.repeated ? words.repeated : words.counted);
}

function refusalText(error: unknown): Note {
  if (error instanceof BudgetExceeded) {
    const { asked, spent, cap, left } = error;
    return (words) => words.overBudget(upTo(asked), upTo(spent), `${cap}`, downTo(left));
  }
  if (error instanceof Answered) return (words) => words.answeredOnce;
  // Sentences of the device hold no answer; anything else might.
  return (words) => words.failed(error instanceof Refused ? error.message : "");
}
