/** The dashboard: every collection, and one of them as it stands now. */

import { useEffect, useState } from "preact/hooks";

import { fetchStandings, tellsTruth, type Standing } from "../collector/api";
import { upTo } from "../page/numbers";
import { reasonText } from "../page/reason";
import { Stranger } from "../page/strangers";
import { placeOf } from "./address";
import { CollectionView } from "./collection";
import { useWords } from "./language";

const OFTEN = 10_000; // milliseconds between two looks at the list; the one shown is live

export function Dashboard() {
  const words = useWords();
  const [standings, setStandings] = useState<readonly Standing[] | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [isDemo, setDemo] = useState(false);
  const [chosen, choose] = useState(() => placeOf(location.hash).key);

  useEffect(() => {
    const ending = new AbortController();
    const look = (): Promise<void> =>
      fetchStandings(ending.signal).then(
        (found) => {
          setStandings(found);
          setProblem(null);
        },
        (error: unknown) => {
          if (!ending.signal.aborted) setProblem(error);
        },
      );
    void look();
    const timer = setInterval(() => void look(), OFTEN);
    const turn = (): void => choose(placeOf(location.hash).key);
    addEventListener("hashchange", turn);
    tellsTruth().then(setDemo, () => setDemo(false));
    return () => {
      ending.abort();
      clearInterval(timer);
      removeEventListener("hashchange", turn);
    };
  }, []);

  const update = (standing: Standing): void =>
    setStandings(
      (known) => known?.map((each) => (each.key === standing.key ? standing : each)) ?? null,
    );
  const current = standings?.find(({ key }) => key === chosen) ?? standings?.[0];
  return (
    <main class="dashboard">
      {problem !== null && (
        <p class="notice" role="alert">
          {words.failed(reasonText(words, problem))}
        </p>
      )}
      {standings?.length === 0 && <p class="notice">{words.noCollections}</p>}
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
        <CollectionView key={current.key} first={current} isDemo={isDemo} update={update} />
      )}
    </main>
  );
}
