/** The dashboard: every collection, and one of them as it stands now. */

import { useEffect, useState } from "preact/hooks";

import { fetchStandings, tellsTruth, type Standing } from "../collector/api";
import { upTo } from "../page/numbers";
import { reasonText } from "../page/reason";
import { Stranger } from "../page/strangers";
import { placeOf, planIn } from "./address";
import { Tools } from "./administration/later";
import { CollectionView } from "./collection";
import { useWords } from "./language";
import { refused, resume, useSession } from "./session";
import { TokenForm } from "./token";

const OFTEN = 10_000; // milliseconds between two looks at the list; the one shown is live

export function Dashboard() {
  const words = useWords();
  const { token, session } = useSession();
  const [told, tell] = useState("");
  const [standings, setStandings] = useState<readonly Standing[] | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [isDemo, setDemo] = useState(false);
  const [hash, follow] = useState(location.hash);
  const chosen = placeOf(hash).key;

  const look = async (signal?: AbortSignal): Promise<void> => {
    void resume();
    try {
      const found = await fetchStandings(token, signal);
      if (signal?.aborted) return;
      setStandings(found);
      setProblem(null);
    } catch (error) {
      if (signal?.aborted) return;
      setProblem(error);
      refused(error, token);
    }
  };
  useEffect(() => {
    const ending = new AbortController();
    void look(ending.signal);
    const timer = setInterval(() => void look(ending.signal), OFTEN);
    return () => {
      ending.abort();
      clearInterval(timer);
    };
  }, [token]);
  useEffect(() => {
    const turn = (): void => follow(location.hash);
    addEventListener("hashchange", turn);
    tellsTruth().then(setDemo, () => setDemo(false));
    return () => removeEventListener("hashchange", turn);
  }, []);

  const update = (standing: Standing): void =>
    setStandings(
      (known) => known?.map((each) => (each.key === standing.key ? standing : each)) ?? null,
    );
  const found = standings?.find(({ key }) => key === chosen);
  const isHidden = standings !== null && !found && chosen !== "" && token === "";
  const current = isHidden ? undefined : (found ?? standings?.[0]);
  const changing = session && { token, session, changed: look, tell };
  const isPlanned = planIn(hash) !== null;
  if (isPlanned && token === "") {
    return (
      <main class="dashboard" tabIndex={-1}>
        <section class="card nothing">
          <h1>{words.makePlanned}</h1>
          <p>{words.makePlannedWhy}</p>
          <TokenForm />
        </section>
      </main>
    );
  }
  return (
    <main class="dashboard" tabIndex={-1}>
      {problem !== null && (
        <p class="notice" role="alert">
          {words.failed(reasonText(words, problem))}
        </p>
      )}
      {token !== "" && (
        <p class="done status" role="status">
          {told}
        </p>
      )}
      {standings?.length === 0 && token !== "" && <p class="notice">{words.noCollections}</p>}
      {isPlanned && session && session.role !== "admin" && (
        <p class="notice">{words.makePlannedWhy}</p>
      )}
      {changing?.session.role === "admin" && <Tools {...changing} />}
      {standings && standings.length > 0 && (
        <nav aria-label={words.collections}>
          <ul>
            {standings.map(({ key, name, state, epsilon, reports }) => (
              <li key={key}>
                <a href={`#${key}`} aria-current={key === current?.key ? "page" : undefined}>
                  <b>
                    <Stranger text={name} />
                  </b>
                  <span class={`state ${state}`}>{words.states[state]}</span>
                  <small>
                    {words.epsilon(upTo(epsilon, 3))} · {words.reports(reports)}
                  </small>
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {current && (
        <CollectionView
          key={current.key}
          first={current}
          isDemo={isDemo}
          update={update}
          changing={changing}
        />
      )}
      {token === "" && (isHidden || standings?.length === 0) && (
        <section class="card nothing">
          <h1>{isHidden ? words.notPublic : words.nonePublic}</h1>
          <p>{isHidden ? words.notPublicWhy : words.nonePublicWhy}</p>
          <TokenForm />
        </section>
      )}
    </main>
  );
}
