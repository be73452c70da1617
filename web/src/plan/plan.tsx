/** The planner: wishes on the one side, what follows of them on the other, all of it in the address. */

import { useEffect, useRef, useState } from "preact/hooks";

import { isolated } from "../page/strangers";
import { useAnswer } from "./answer";
import { PlanForm } from "./form";
import { useWords } from "./language";
import { Result } from "./result";
import { queryOf, readQuery, type Wishes } from "./wishes";

const PAUSE = 250; // milliseconds without a change, until the address has it

export function Planner() {
  const words = useWords();
  const [{ wishes, strange }, read] = useState(() => readQuery(location.search));
  const asked = queryOf(wishes);
  const query = typeof asked === "string" ? asked : null;
  const isStep = useRef(false);
  const answered = useAnswer(query);

  const change = (next: Wishes, isNewStep = false): void => {
    isStep.current ||= isNewStep;
    read({ wishes: next, strange: [] });
  };
  useEffect(() => {
    if (query === null || location.search === `?${query}`) return;
    const write = (): void => {
      const address = `${location.pathname}?${query}`;
      if (isStep.current) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
      isStep.current = false;
    };
    // Browsers take only so many addresses in a row.
    const timer = setTimeout(write, isStep.current ? 0 : PAUSE);
    return () => clearTimeout(timer);
  }, [query]);
  useEffect(() => {
    const turn = (): void => read(readQuery(location.search));
    addEventListener("popstate", turn);
    return () => removeEventListener("popstate", turn);
  }, []);

  const { answer, isWaiting, isCollector } = answered;
  const isCurrent = query !== null && !isWaiting;
  return (
    <main class="planner">
      <div class="heading">
        {isCollector && (
          <p class="kicker">
            <a href="/">{words.toDashboard}</a>
          </p>
        )}
        <h1>{words.subject}</h1>
        <p>{words.intro}</p>
        {strange.length > 0 && (
          <p class="notice" role="alert">
            {words.strange(listed(words.locale, strange), strange.length)}
          </p>
        )}
      </div>
      <PlanForm
        wishes={wishes}
        change={change}
        wrong={typeof asked === "string" ? [] : asked}
        plan={answer?.plan ?? null}
        isCurrent={isCurrent}
      />
      <Result
        answer={answer}
        isWaiting={isWaiting}
        isUnreadable={query === null}
        isCollector={isCollector}
        wishes={wishes}
        change={change}
      />
    </main>
  );
}

const SHOWN = 5; // names of what is strange in an address
const LONGEST = 40;

function listed(locale: string, names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => isolated(name.slice(0, LONGEST)));
  return new Intl.ListFormat(locale).format([...shown, ...(names.length > SHOWN ? ["…"] : [])]);
}
