/** A new collection: its question, what is wanted of it, and what that means before it is made. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Problem } from "../../collector/problem";
import { whole } from "../../language";
import { upTo } from "../../page/numbers";
import { reasonText } from "../../page/reason";
import { Dialog } from "../dialog";
import { useOnce } from "../once";
import { Check, Entry, NumberEntry, Options, TextEntry } from "../../page/entry";
import { useWords, type Words } from "./language";
import { DraftLabel } from "./label";
import {
  formFor,
  planAddress,
  plannedOf,
  standIn,
  type PlannedWishes,
  type Settled,
} from "./planned";
import type { Requests } from "./requests";
import {
  BLANK,
  BLANK_QUESTION,
  FOUND_OUT,
  LASTING,
  UNITS,
  WANTS,
  answersOf,
  asking,
  fieldOf,
  wishesOf,
  type Asked,
  type Draft,
  type Field,
  type Form,
  type QuestionForm,
  type Unit,
  type Wishes,
} from "./wishes";

const PAUSE = 300; // milliseconds without a key, until the collector is asked what it means
const KINDS: readonly Asked[] = ["choice", "several", "questions", "number", "text", "states"];

interface CreateProps {
  readonly requests: Requests;
  /** What a plan has settled, if there is one; else all of it is asked for. */
  readonly settled: Settled | null;
  readonly close: () => void;
  /** It is held from now on. */
  readonly created: (key: string, name: string) => void;
}

export function Create({ requests, settled, close, created }: CreateProps) {
  const words = useWords();
  const [form, setForm] = useState<Form>(() => (settled ? formFor(settled) : BLANK));
  const [refused, setRefused] = useState<Field | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const once = useOnce();
  const element = useRef<HTMLFormElement>(null);
  const drafted = useDraft(requests, form, settled);
  const refusedField = refused ?? drafted.field;

  const change = (part: Partial<Form>): void => {
    setForm((before) => ({ ...before, ...part }));
    setRefused(null);
    setProblem(null);
  };
  const refuse = (field: Field): void => {
    setRefused(field);
    element.current?.querySelector<HTMLElement>(`#new-${field}`)?.focus();
  };
  const submit = async (): Promise<void> => {
    const wishes = orderOf(form, settled);
    if (typeof wishes === "string") return refuse(wishes);
    try {
      const { document } = await requests.draft(wishes);
      const { key } = await requests.add(document);
      if (form.isPublic) await requests.release(key, true);
      created(key, wishes.name);
    } catch (error) {
      const field = error instanceof Problem ? fieldOf(error.code, form.asks) : null;
      if (field) refuse(field);
      else setProblem(error);
    }
  };
  const refusal = (field: Field): string | null =>
    field === refusedField ? words.refusals[field] : null;
  const fields = { form, settled, change, refusal };
  return (
    <Dialog
      wide
      title={words.newCollection}
      close={close}
      closing={words.cancel}
      actions={
        <button type="submit" form="new-collection" class="main">
          {words.create}
        </button>
      }
    >
      <form
        id="new-collection"
        ref={element}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void once(submit);
        }}
      >
        {settled && <p class="note">{words.planned}</p>}
        <Question {...fields} />
        {!settled && <Privacy {...fields} />}
        <DraftLabel form={form} draft={drafted.draft} isPlanned={settled !== null} />
        {settled && (
          <p>
            <a href={`/plan?${settled.query}`}>{words.changePlan}</a>
          </p>
        )}
        <Rules {...fields} />
        <p class="status" role="alert">
          {problem !== null && words.failed(reasonText(words, problem))}
        </p>
      </form>
    </Dialog>
  );
}

interface Drafted {
  readonly draft: Draft | null;
  /** The field that the collector refuses, of those that are filled in. */
  readonly field: Field | null;
}

/** What the collector is asked for, or the first field that can't be read. */
function orderOf(form: Form, settled: Settled | null): Wishes | PlannedWishes | Field {
  return settled ? plannedOf(form, settled) : wishesOf(form);
}

/** What the collector makes of the form, a moment after the last change. */
function useDraft(requests: Requests, form: Form, settled: Settled | null): Drafted {
  const [drafted, setDrafted] = useState<Drafted>({ draft: null, field: null });
  // Its question changes nothing of what it means, so the label needn't wait for it.
  const asked = useMemo(() => {
    const wishes = settled
      ? plannedOf(standIn(form, settled), settled)
      : wishesOf({ ...form, question: form.question || "…", name: form.name || "…" });
    return typeof wishes === "string" ? null : JSON.stringify(wishes);
  }, [form]);
  useEffect(() => {
    if (asked === null) {
      setDrafted({ draft: null, field: null });
      return;
    }
    const ending = new AbortController();
    const timer = setTimeout(() => {
      requests.draft(JSON.parse(asked), ending.signal).then(
        (draft) => setDrafted({ draft, field: null }),
        (error: unknown) => {
          if (ending.signal.aborted) return;
          const field = error instanceof Problem ? fieldOf(error.code, form.asks) : null;
          setDrafted({ draft: null, field });
        },
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [asked]);
  return drafted;
}

interface FieldsProps {
  readonly form: Form;
  readonly settled: Settled | null;
  readonly change: (part: Partial<Form>) => void;
  readonly refusal: (field: Field) => string | null;
}

function Question({ form, settled, change, refusal }: FieldsProps) {
  const words = useWords();
  const { asks } = form;
  return (
    <>
      <TextEntry
        id="new-question"
        title={asks === "questions" ? words.heading : words.question}
        refusal={refusal("question")}
        value={form.question}
        set={(question) => change({ question })}
      />
      <TextEntry
        id="new-name"
        title={words.name}
        hint={words.nameWhy}
        refusal={refusal("name")}
        value={form.name}
        set={(name) => change({ name })}
      />
      {!settled && (
        <Options
          id="new-asks"
          legend={words.asks}
          options={KINDS.map((each) => [each, words.asked[each], words.askedWhy[each]] as const)}
          value={asks}
          choose={(next) => change(asking(form, next))}
        />
      )}
      {asks === "questions" && (
        <Questions
          questions={form.questions}
          sizes={settled?.sizes ?? null}
          change={(questions) => change({ questions })}
          refusal={refusal("questions")}
        />
      )}
      {asks === "number" && !settled && (
        <RangeEntries form={form} settled={settled} change={change} refusal={refusal} />
      )}
      {!["text", "questions", "number"].includes(asks) && (
        <Entry
          id="new-answers"
          title={asks === "states" ? words.stateNames : words.answers}
          hint={
            asks === "states"
              ? words.stateNamesWhy
              : answersHint(words, form.answers, settled?.answers)
          }
          refusal={refusal("answers") && answersRefusal(words, asks, settled?.answers)}
        >
          {(control) => (
            <textarea
              rows={asks === "states" ? 2 : 5}
              {...control}
              value={form.answers}
              onInput={({ currentTarget }) => change({ answers: currentTarget.value })}
            />
          )}
        </Entry>
      )}
      {asks === "several" && !settled && (
        <NumberEntry
          id="new-most"
          title={words.most}
          hint={words.mostWhy}
          refusal={refusal("most")}
          value={form.most}
          set={(most) => change({ most })}
        />
      )}
      {asks === "states" && !settled && (
        <NumberEntry
          id="new-rounds"
          title={words.rounds}
          hint={words.roundsWhy}
          refusal={refusal("rounds")}
          value={form.rounds}
          set={(rounds) => change({ rounds })}
        />
      )}
    </>
  );
}

/** How many answers are expected, and how many are there. */
function answersHint(words: Words, answers: string, planned: number | null = null): string {
  if (planned === null) return words.answersWhy;
  return words.answersGiven(whole(words, answersOf(answers).length), whole(words, planned));
}

/** Why answers can't be taken. */
function answersRefusal(words: Words, asks: Asked, planned: number | null = null): string {
  if (planned === null || asks === "states") return words.refusals.answers;
  return words.answersPlanned(whole(words, planned));
}

/** The ends of a number's range, and its step. */
function RangeEntries({ form, change, refusal }: FieldsProps) {
  const words = useWords();
  return (
    <>
      <Entry
        id="new-range"
        title={words.numbersFrom}
        hint={words.numbersFromWhy}
        refusal={refusal("range")}
      >
        {(control) => (
          <span class="pair">
            <input
              type="text"
              {...control}
              value={form.least}
              onInput={({ currentTarget }) => change({ least: currentTarget.value })}
            />
            <input
              type="text"
              aria-label={words.numbersTo}
              value={form.largest}
              onInput={({ currentTarget }) => change({ largest: currentTarget.value })}
            />
          </span>
        )}
      </Entry>
      <TextEntry
        id="new-step"
        title={words.step}
        hint={words.stepWhy}
        refusal={refusal("step")}
        value={form.step}
        set={(step) => change({ step })}
      />
      <Options
        id="new-found_out"
        legend={words.foundOut}
        options={FOUND_OUT.map(
          (each) => [each, words.finding[each], words.findingWhy[each]] as const,
        )}
        value={form.foundOut}
        choose={(foundOut) => change({ foundOut })}
      />
    </>
  );
}

interface QuestionsProps {
  readonly questions: readonly QuestionForm[];
  /** How many answers each has, where a plan says it. */
  readonly sizes: readonly number[] | null;
  readonly change: (questions: readonly QuestionForm[]) => void;
  readonly refusal: string | null;
}

/** Several questions, each with its name, its words and its answers; more can be added. */
function Questions({ questions, sizes, change, refusal }: QuestionsProps) {
  const words = useWords();
  const put = (at: number, part: Partial<QuestionForm>): void =>
    change(questions.map((each, i) => (i === at ? { ...each, ...part } : each)));
  const last = questions.length - 1;
  return (
    <>
      {questions.map((each, at) => (
        <fieldset key={at} class="asked">
          <legend>{words.questionNumber(at + 1)}</legend>
          <TextEntry
            id={at === 0 ? "new-questions" : `new-questions-${at}`}
            title={words.question}
            value={each.question}
            set={(question) => put(at, { question })}
          />
          <TextEntry
            id={`new-questions-name-${at}`}
            title={words.columnName}
            hint={words.columnNameWhy}
            value={each.name}
            set={(name) => put(at, { name })}
          />
          <Entry
            id={`new-questions-answers-${at}`}
            title={words.answers}
            hint={answersHint(words, each.answers, sizes?.[at])}
            refusal={at === last ? refusal : null}
          >
            {(control) => (
              <textarea
                rows={4}
                {...control}
                value={each.answers}
                onInput={({ currentTarget }) => put(at, { answers: currentTarget.value })}
              />
            )}
          </Entry>
          {!sizes && questions.length > 2 && (
            <button type="button" onClick={() => change(questions.filter((_, i) => i !== at))}>
              {words.removeQuestion(at + 1)}
            </button>
          )}
        </fieldset>
      ))}
      {!sizes && (
        <button type="button" onClick={() => change([...questions, BLANK_QUESTION])}>
          {words.addQuestion}
        </button>
      )}
    </>
  );
}

function Privacy({ form, change, refusal }: FieldsProps) {
  const words = useWords();
  const wants = WANTS[form.asks];
  const setEpsilon = (epsilon: string): void => change({ epsilon });
  return (
    <>
      {wants.length > 1 && (
        <Options
          id="new-wants"
          legend={words.wants}
          options={wants.map((each) => [each, words.wanted[each], words.wantedWhy[each]] as const)}
          value={form.wants}
          choose={(next) => change({ wants: next })}
        />
      )}
      <Entry
        id="new-epsilon"
        title={words.epsilonTitle}
        hint={form.asks === "states" ? words.epsilonStates : words.epsilonWhy}
        refusal={refusal("epsilon")}
      >
        {(control) => (
          <span class="pair slider">
            <input
              type="range"
              aria-label={words.epsilonSlider}
              aria-valuetext={words.epsilon(form.epsilon)}
              min="0.1"
              max="8"
              step="0.1"
              value={form.epsilon}
              onInput={({ currentTarget }) => setEpsilon(currentTarget.value)}
            />
            <input
              type="number"
              min="0.01"
              step="any"
              {...control}
              value={form.epsilon}
              onInput={({ currentTarget }) => setEpsilon(currentTarget.value)}
            />
          </span>
        )}
      </Entry>
      <p class="fine">
        {words.notSure}{" "}
        <a href={planAddress(form)} target="_blank" rel="opener">
          {words.planIt}
        </a>
      </p>
      {LASTING.includes(form.wants) && (
        <NumberEntry
          id="new-lifetime"
          title={words.lifetimeTitle}
          hint={words.lifetimeWhy(Number(form.epsilon) > 0 ? upTo(2 * Number(form.epsilon)) : "…")}
          refusal={refusal("lifetime")}
          value={form.lifetime}
          set={(lifetime) => change({ lifetime })}
          isWhole={false}
        />
      )}
      <NumberEntry
        id="new-people"
        title={words.expectedPeople}
        hint={words.peopleWhy}
        refusal={refusal("people")}
        value={form.people}
        set={(people) => change({ people })}
      />
    </>
  );
}

function Rules({ form, settled, change, refusal }: FieldsProps) {
  const words = useWords();
  return (
    <>
      {!settled && (
        <Check
          title={words.again}
          hint={form.asks === "states" ? words.againStates : words.againWhy}
          checked={form.hasWindows}
          disabled={form.asks === "states"}
          set={(hasWindows) => change({ hasWindows })}
        />
      )}
      {form.hasWindows && (
        <Entry
          id="new-window"
          title={words.windowLength}
          hint={words.windowWhy}
          refusal={refusal("window")}
        >
          {(control) => (
            <span class="pair">
              <input
                type="number"
                min="1"
                step="1"
                {...control}
                value={form.window}
                onInput={({ currentTarget }) => change({ window: currentTarget.value })}
              />
              <select
                aria-label={words.unit}
                value={form.unit}
                onChange={({ currentTarget }) => change({ unit: currentTarget.value as Unit })}
              >
                {(Object.keys(UNITS) as Unit[]).map((unit) => (
                  <option key={unit} value={unit}>
                    {words.units[unit]}
                  </option>
                ))}
              </select>
            </span>
          )}
        </Entry>
      )}
      <NumberEntry
        id="new-minimum_reports"
        title={words.minimum}
        hint={words.minimumWhy}
        refusal={refusal("minimum_reports")}
        value={form.minimum}
        set={(minimum) => change({ minimum })}
      />
      <Check
        id="new-invited"
        title={words.byInvitation}
        hint={words.byInvitationWhy}
        refusal={refusal("invited")}
        checked={form.invited}
        set={(invited) => change({ invited })}
      />
      <Check
        title={words.makePublic}
        hint={words.makePublicWhy(whole(words, Number(form.minimum) || 0))}
        checked={form.isPublic}
        set={(isPublic) => change({ isPublic })}
      />
      <Check
        title={words.keepReports}
        hint={words.keepReportsWhy}
        checked={form.keepsReports}
        set={(keepsReports) => change({ keepsReports })}
      />
    </>
  );
}
