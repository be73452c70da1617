/** What can be taken along: the estimate, the chart, the sum, addresses, a plan. */

import { useState } from "preact/hooks";

import { ask, type Estimate, type Standing } from "../collector/api";
import { Command, Copy } from "../page/copy";
import { upTo } from "../page/numbers";
import { reasonText } from "../page/reason";
import { visible } from "../page/strangers";
import { addressOf } from "./address";
import { fileStem } from "./file_name";
import { kindOf } from "./kinds";
import { useWords, type Words } from "./language";
import { pictureOf, pngOf, type Caption } from "./picture";
import type { Calendar } from "./times";

interface DownloadsProps {
  readonly standing: Standing;
  readonly calendar: Calendar;
  readonly window: string;
  readonly token: string;
  /** Null where there is nothing to download. */
  readonly estimate: Estimate | null;
}

export function Downloads({ standing, calendar, window, token, estimate }: DownloadsProps) {
  const words = useWords();
  const kind = kindOf(standing);
  const [problem, setProblem] = useState<unknown>(null);
  const { key, name } = standing;
  const of = estimate?.window ?? 0;
  const { schedule } = calendar;
  const stem = (): string => fileStem({ name, key, schedule }, of, Date.now() / 1000);
  const tried = (save: () => Promise<void>): void => {
    setProblem(null);
    save().catch(setProblem);
  };
  const fetched = (path: string, ending: string) => () =>
    tried(async () => saveAs(await (await ask(path, token)).blob(), stem() + ending));
  const drawn = (ending: string, make: (svg: string) => Blob | Promise<Blob>) => () =>
    tried(async () => {
      const chart = document.querySelector("[data-chart]");
      if (!chart || !estimate) throw new Error(words.noChart);
      const svg = pictureOf(chart, captionOf(words, standing, estimate, calendar));
      saveAs(await make(svg), stem() + ending);
    });
  const path = `/collections/${key}/estimate?window=${window}&format=`;
  const sum = `/collections/${key}/aggregate?window=${kind.summed(window)}`;
  const plan = kind.plan(standing, estimate);
  const button = (says: string, act: () => void) => (
    <button type="button" disabled={estimate === null} onClick={act}>
      {says}
    </button>
  );
  return (
    <section class="card downloads">
      <h2>{words.download}</h2>
      <div class="buttons" role="group" aria-label={words.numbers}>
        <span class="fine">{words.numbers}</span>
        {button("CSV", fetched(`${path}csv`, ".csv"))}
        {button("Parquet", fetched(`${path}parquet`, ".parquet"))}
        {button(words.aggregate, fetched(sum, "-sum.json"))}
      </div>
      {kind.isDrawn && (
        <div class="buttons" role="group" aria-label={words.chart}>
          <span class="fine">{words.chart}</span>
          {button("SVG", drawn(".svg", svgOf))}
          {button("PNG", drawn(".png", pngOf))}
        </div>
      )}
      {problem !== null && (
        <p class="notice" role="alert">
          {words.failed(reasonText(words, problem))}
        </p>
      )}
      <div class="buttons" role="group" aria-label={words.thisView}>
        <span class="fine">{words.thisView}</span>
        <Copy text={addressOf({ key, window })} says={words.copyLink} copied={words.copied} />
        <button type="button" onClick={() => print()}>
          {words.print}
        </button>
      </div>
      <p>
        <a class="button" href={`/s/${key}`}>
          {words.openSurvey}
        </a>
      </p>
      {plan !== null && (
        <>
          <h3>{words.plan}</h3>
          <p>{words.planWhy}</p>
          <Command text={plan} says={words.copy} copied={words.copied} />
        </>
      )}
    </section>
  );
}

/** What stands around the chart in a file of its own. */
function captionOf(
  words: Words,
  { name, question, key, epsilon }: Standing,
  estimate: Estimate,
  calendar: Calendar,
): Caption {
  const { window, n } = estimate;
  const when = window === "all" ? words.all : calendar.schedule && calendar.window(window);
  const about = [visible(name), when, words.reports(n), words.epsilon(upTo(epsilon))];
  const notes = Array.from(document.querySelectorAll(".result [data-note]"), ({ textContent }) =>
    (textContent ?? "").trim(),
  );
  return {
    title: visible(question),
    subtitle: about.filter(Boolean).join(" · "),
    notes: [...notes, `Sudare · ${key}`],
  };
}

const svgOf = (svg: string): Blob => new Blob([svg], { type: "image/svg+xml" });

/** Have the browser keep a file. */
function saveAs(contents: Blob, name: string): void {
  const address = URL.createObjectURL(contents);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
