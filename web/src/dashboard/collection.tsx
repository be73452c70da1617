/** One collection: its numbers as they change, what it promises, and what can be taken along. */

import { useEffect, useState } from "preact/hooks";

import {
  fetchDocument,
  fetchTruth,
  type Estimate,
  type Standing,
  type Truth,
} from "../collector/api";
import { Collection } from "../device";
import { reasonText } from "../page/reason";
import { Stranger } from "../page/strangers";
import type { ManageProps } from "./administration/interface";
import { Manage } from "./administration/later";
import { Counter } from "./counter";
import { Downloads } from "./downloads";
import { PrivacyLabel } from "./label";
import { kindOf } from "./kinds";
import { useWords } from "./language";
import { useLive, type Live } from "./live";
import { refused, useSession } from "./session";
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
  const [window, setWindow] = useState("latest");
  const [truthShown, showTruth] = useState(false);
  const collection = useDocument(key);
  const live = useLive(key, window, token);
  const standing = live.standing ?? first;
  const { Result } = kindOf(standing, live.estimate);
  useEffect(() => {
    if (live.standing) update(live.standing);
  }, [live.standing]);
  const truth = useTruth(key, truthShown, live.estimate);
  useEffect(() => refused(live.problem, token), [live.problem]);
  return (
    <div class="view">
      <div class="heading">
        <p class="kicker">
          <Stranger text={standing.name} />
        </p>
        <h1>
          <Stranger text={standing.question} />
        </h1>
        <p class={`connection ${live.connection}`} role="status">
          {words.connection[live.connection]}
          {live.problem && ` (${reasonText(words, live.problem)})`}
        </p>
        {standing.state !== "open" && (
          <p class="notice">{standing.state === "paused" ? words.isPaused : words.isClosed}</p>
        )}
      </div>
      <section class="card result">
        <Choices
          standing={standing}
          window={window}
          setWindow={setWindow}
          isDemo={isDemo}
          truthShown={truthShown}
          showTruth={showTruth}
        />
        {live.estimate ? (
          <Result estimate={live.estimate} truth={truth} />
        ) : (
          <Nothing standing={standing} window={window} live={live} token={token} />
        )}
      </section>
      <div class="stack">
        <Counter standing={standing} />
        {changing && changing.session.role !== "relay" && (
          <Manage {...changing} standing={standing} />
        )}
        <Downloads
          standing={standing}
          window={window}
          token={token}
          ready={live.estimate !== null}
        />
      </div>
      <PrivacyLabel standing={standing} collection={collection} />
    </div>
  );
}

/** The collection of the public document; null until it is there, or if browsers don't speak it. */
function useDocument(key: string): Collection | null {
  const [collection, setCollection] = useState<Collection | null>(null);
  useEffect(() => {
    fetchDocument(key).then(
      (data) => {
        try {
          setCollection(Collection.readPinned(data, key));
        } catch {
          setCollection(null); // the collector's own words stand in its place
        }
      },
      () => setCollection(null),
    );
  }, [key]);
  return collection;
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
  readonly window: string;
  readonly setWindow: (window: string) => void;
  readonly isDemo: boolean;
  readonly truthShown: boolean;
  readonly showTruth: (shown: boolean) => void;
}

function Choices(props: ChoicesProps) {
  const { standing, window, setWindow, isDemo, truthShown, showTruth } = props;
  const words = useWords();
  const numbers = standing.windows.map(({ window }) => window).reverse();
  const hasWindows = numbers.length > 1 || (numbers[0] ?? 0) > 0;
  if (!hasWindows && !isDemo) return null;
  return (
    <div class="choices">
      {hasWindows && (
        <label>
          {words.window}{" "}
          <select value={window} onChange={({ currentTarget }) => setWindow(currentTarget.value)}>
            <option value="latest">{words.latest}</option>
            <option value="all">{words.all}</option>
            {numbers.map((number) => (
              <option key={number} value={`${number}`}>
                {words.windowNumber(number)}
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
    </div>
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
