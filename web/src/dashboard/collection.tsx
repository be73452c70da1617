/** One collection: its numbers as they change, what it promises, and what can be taken along. */

import { useEffect, useMemo, useState } from "preact/hooks";

import {
  fetchEstimate,
  fetchTruth,
  type Estimate,
  type Standing,
  type Truth,
} from "../collector/api";
import { reasonText } from "../page/reason";
import { Stranger, visible } from "../page/strangers";
import { addressOf, hashOf, placeOf } from "./address";
import type { ManageProps } from "./administration/interface";
import { Manage } from "./administration/later";
import { Counter } from "./counter";
import { Downloads } from "./downloads";
import { History, releasesOf } from "./history";
import { kindOf } from "./kinds";
import { useDocument } from "./known";
import { PrivacyLabel } from "./label";
import { useWords } from "./language";
import { Lead } from "./lead";
import { useLive, type Live } from "./live";
import { refused, useSession } from "./session";
import { Calendar } from "./times";
import { TokenForm } from "./token";

interface CollectionViewProps {
  /** How it stood when it was chosen. */
  readonly first: Standing;
  readonly isDemo: boolean;
  readonly update: (standing: Standing) => void;
  /** Somebody who may change it; null if nobody is signed in. */
  readonly changing: Omit<ManageProps, "standing"> | null;
}

export function CollectionView({ first, isDemo, update, changing }: CollectionViewProps) {
  const words = useWords();
  const { key } = first;
  const { token } = useSession();
  const [window, setWindow] = useState(() => placeOf(location.hash).window);
  const [other, compareWith] = useState("");
  const [truthShown, showTruth] = useState(false);
  const { collection, schedule } = useDocument(key);
  const live = useLive(key, window, token);
  const standing = live.standing ?? first;
  const calendar = useMemo(
    () => new Calendar(words, schedule, standing.rounds),
    [words, schedule, standing.rounds],
  );
  const { Result, Change } = kindOf(standing, live.estimate);
  useEffect(() => {
    if (live.standing) update(live.standing);
  }, [live.standing]);
  useEffect(() => {
    document.title = `${visible(standing.name)} · ${words.title}`;
  }, [standing.name, words]);
  const truth = useTruth(key, truthShown, live.estimate);
  useEffect(() => refused(live.problem, token), [live.problem]);
  const shown = live.estimate?.window ?? null;
  const compared = typeof shown === "number" && `${shown}` !== other ? other : "";
  const then = useOther(key, compared, token, standing);
  const turnTo = (chosen: string): void => {
    setWindow(chosen);
    history.replaceState(null, "", hashOf({ key, window: chosen }));
  };
  const choices = (
    <Choices
      standing={standing}
      calendar={calendar}
      shown={shown}
      window={window}
      setWindow={turnTo}
      other={Change ? compared : null}
      compareWith={compareWith}
      isDemo={isDemo}
      truthShown={truthShown}
      showTruth={showTruth}
    />
  );
  return (
    <div class="view">
      <div class="heading">
        <p class="kicker">
          <Stranger text={standing.name} />
          <span class={`connection ${live.connection}`} role="status">
            {words.connection[live.connection]}
            {live.problem && ` (${reasonText(words, live.problem)})`}
          </span>
        </p>
        <h1>
          <Stranger text={standing.question} />
        </h1>
        {standing.state !== "open" && (
          <p class="notice">{standing.state === "paused" ? words.isPaused : words.isClosed}</p>
        )}
      </div>
      <Lead
        standing={standing}
        collection={collection}
        estimate={live.estimate}
        calendar={calendar}
      />
      <section class="card result">
        {live.estimate ? (
          <Result estimate={live.estimate} standing={standing} calendar={calendar} truth={truth}>
            {choices}
          </Result>
        ) : (
          <>
            <Nothing standing={standing} window={window} live={live} token={token} />
            {choices}
          </>
        )}
      </section>
      {then.problem !== null && (
        <p class="notice change" role="alert">
          {words.failed(reasonText(words, then.problem))}
        </p>
      )}
      {live.estimate && then.estimate && Change && (
        <section class="card change">
          <Change now={live.estimate} then={then.estimate} calendar={calendar} />
        </section>
      )}
      {live.estimate && (
        <History standing={standing} estimate={live.estimate} token={token} calendar={calendar} />
      )}
      <div class="stack">
        <Counter standing={standing} />
        {changing && changing.session.role !== "relay" && (
          <Manage {...changing} standing={standing} />
        )}
        <Downloads
          standing={standing}
          calendar={calendar}
          window={window}
          token={token}
          estimate={live.estimate}
        />
      </div>
      <PrivacyLabel standing={standing} collection={collection} />
      <p class="on-paper fine">
        {words.source(addressOf({ key, window }), calendar.moment(Date.now()))}
      </p>
    </div>
  );
}

/** The window to compare with: its estimate, or why there is none. */
interface Other {
  readonly estimate: Estimate | null;
  readonly problem: unknown;
}

const NO_OTHER: Other = { estimate: null, problem: null };

function useOther(key: string, window: string, token: string, standing: Standing): Other {
  const [other, setOther] = useState(NO_OTHER);
  const held = standing.windows.find((each) => `${each.window}` === window);
  const news = held && releasesOf(standing, held);
  useEffect(() => {
    const ending = new AbortController();
    setOther((before) => (`${before.estimate?.window}` === window ? before : NO_OTHER));
    if (window !== "") {
      fetchEstimate(key, window, token, ending.signal).then(
        (estimate) => setOther({ estimate, problem: null }),
        (problem: unknown) => {
          if (!ending.signal.aborted) setOther({ estimate: null, problem });
        },
      );
    }
    return () => ending.abort();
  }, [key, window, token, news]);
  return other;
}

function useTruth(key: string, shown: boolean, estimate: Estimate | null): Truth | null {
  const [truth, setTruth] = useState<Truth | null>(null);
  useEffect(() => {
    if (shown) fetchTruth(key).then(setTruth, () => setTruth(null));
    else setTruth(null);
  }, [key, shown, estimate]);
  return truth;
}

interface ChoicesProps {
  readonly standing: Standing;
  readonly calendar: Calendar;
  /** The window of the estimate that is shown. */
  readonly shown: number | "all" | null;
  readonly window: string;
  readonly setWindow: (window: string) => void;
  /** The window to compare with, or none; null where they can't be compared. */
  readonly other: string | null;
  readonly compareWith: (window: string) => void;
  readonly isDemo: boolean;
  readonly truthShown: boolean;
  readonly showTruth: (shown: boolean) => void;
}

function Choices(props: ChoicesProps) {
  const { standing, calendar, shown, window, setWindow, other, compareWith } = props;
  const { isDemo, truthShown, showTruth } = props;
  const words = useWords();
  const numbers = standing.windows.map(({ window }) => window).reverse();
  const hasWindows = numbers.length > 1 || (numbers[0] ?? 0) > 0;
  const others = numbers.filter((number) => number !== shown);
  const latest =
    window === "latest" && typeof shown === "number"
      ? words.latestOf(calendar.window(shown))
      : words.latest;
  return (
    <>
      {hasWindows && (
        <label>
          <span>{words.window}</span>
          <select value={window} onChange={({ currentTarget }) => setWindow(currentTarget.value)}>
            <option value="latest">{latest}</option>
            <option value="all">{words.all}</option>
            {numbers.map((number) => (
              <option key={number} value={`${number}`}>
                {calendar.window(number)}
              </option>
            ))}
          </select>
        </label>
      )}
      {hasWindows && other !== null && typeof shown === "number" && others.length > 0 && (
        <label>
          <span>{words.compareWith}</span>
          <select value={other} onChange={({ currentTarget }) => compareWith(currentTarget.value)}>
            <option value="">{words.compareNone}</option>
            {others.map((number) => (
              <option key={number} value={`${number}`}>
                {calendar.window(number)}
              </option>
            ))}
          </select>
        </label>
      )}
      {isDemo && (
        <label class="check">
          <input
            type="checkbox"
            checked={truthShown}
            onChange={({ currentTarget }) => showTruth(currentTarget.checked)}
          />
          {words.showTruth}
        </label>
      )}
    </>
  );
}

interface NothingProps {
  readonly standing: Standing;
  readonly window: string;
  readonly live: Live;
  readonly token: string;
}

/** Why nothing is shown. */
function Nothing({ standing, window, live, token }: NothingProps) {
  const words = useWords();
  const kind = kindOf(standing);
  if (!standing.public && (token === "" || live.connection === "refused")) {
    return (
      <div class="nothing">
        <h2>{words.notPublic}</h2>
        <p>{words.notPublicWhy}</p>
        {token === "" && <TokenForm />}
      </div>
    );
  }
  if (live.connection === "connecting") return <p class="nothing">{words.connection.connecting}</p>;
  return (
    <div class="nothing">
      <h2>{words.nothingYet}</h2>
      {live.waiting && live.waiting.code !== "too_few_reports" ? (
        <p>{kind.waiting(words, live.waiting)}</p>
      ) : (
        <kind.TooFew standing={standing} window={window} />
      )}
    </div>
  );
}
