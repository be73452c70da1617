/** What can be taken along: the estimate, the sum, the survey's address, a plan. */

import { useState } from "preact/hooks";

import { ask, type Standing } from "../collector/api";
import { reasonText } from "../page/reason";
import { kindOf } from "./kinds";
import { useWords } from "./language";

interface DownloadsProps {
  readonly standing: Standing;
  readonly window: string;
  readonly token: string;
  /** Whether there is anything to download. */
  readonly ready: boolean;
}

export function Downloads({ standing, window, token, ready }: DownloadsProps) {
  const words = useWords();
  const kind = kindOf(standing);
  const [problem, setProblem] = useState<unknown>(null);
  const short = standing.key.slice(0, 12);
  const estimate = `/collections/${standing.key}/estimate?window=${window}&format=`;
  const sum = `/collections/${standing.key}/aggregate?window=${kind.summed(window)}`;
  const save = (path: string, name: string): void => {
    setProblem(null);
    saved(path, name, token).catch(setProblem);
  };
  const plan = kind.plan(standing);
  return (
    <section class="card downloads">
      <h2>{words.download}</h2>
      <div class="buttons">
        <button
          type="button"
          disabled={!ready}
          onClick={() => save(`${estimate}csv`, `${short}.csv`)}
        >
          CSV
        </button>
        <button
          type="button"
          disabled={!ready}
          onClick={() => save(`${estimate}parquet`, `${short}.parquet`)}
        >
          Parquet
        </button>
        <button type="button" disabled={!ready} onClick={() => save(sum, `${short}.json`)}>
          {words.aggregate}
        </button>
      </div>
      {problem !== null && (
        <p class="notice" role="alert">
          {words.failed(reasonText(words, problem))}
        </p>
      )}
      <p>
        <a class="button" href={`/s/${standing.key}`}>
          {words.openSurvey}
        </a>
      </p>
      {plan !== null && (
        <>
          <h3>{words.plan}</h3>
          <p>{words.planWhy}</p>
          <Command text={plan} />
        </>
      )}
    </section>
  );
}

/** A command that is ready to copy. */
function Command({ text }: { readonly text: string }) {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  const { clipboard } = navigator as { clipboard?: Clipboard }; // only on pages over HTTPS
  return (
    <div class="command">
      <code tabIndex={0}>{text}</code>
      {clipboard && (
        <button
          type="button"
          onClick={() => void clipboard.writeText(text).then(() => setCopied(true))}
        >
          {copied ? words.copied : words.copy}
        </button>
      )}
    </div>
  );
}

/** A file of the collector, with the token that it may need. */
async function saved(path: string, name: string, token: string): Promise<void> {
  const address = URL.createObjectURL(await (await ask(path, token)).blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
