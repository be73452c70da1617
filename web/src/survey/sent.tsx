/** Exactly what was sent, beside what the collector can conclude from it. */

import type { RefObject } from "preact";
import { useState } from "preact/hooks";

import { letterOf } from "../collector/deliver";
import { Refused, conclude, type Collection, type Conclusion } from "../device";
import { hexToBytes } from "@noble/hashes/utils.js";
import { useWords } from "./language";
import { Bars } from "../page/bars";
import { grouped, upTo } from "../page/numbers";
import type { Sent } from "./person";
import { reportText } from "./said";

interface SentReportProps {
  readonly heading: RefObject<HTMLHeadingElement | null>;
  readonly collection: Collection;
  readonly sent: Sent;
  /** What was answered, if the page still knows. */
  readonly answer: string | null;
  readonly invited: boolean;
}

export function SentReport({ heading, collection, sent, answer, invited }: SentReportProps) {
  const words = useWords();
  const letter = letterOf(collection.key, sent.window, sent.id, sent.record);
  return (
    <section class="sent">
      <div class="card">
        <h2 ref={heading} tabIndex={-1}>
          {words.sent}
        </h2>
        <dl>
          <div>
            <dt>{words.inWords}</dt>
            <dd class="words">{reportText(words, collection, sent.record)}</dd>
          </div>
          <div>
            <dt>{words.sentRecord}</dt>
            <dd class="bytes" data-sent="record">
              {grouped(sent.record)}
            </dd>
          </div>
          <div>
            <dt>{words.sentId}</dt>
            <dd class="bytes" data-sent="id">
              {grouped(sent.id)}
            </dd>
            <dd class="fine">{words.sentIdWhy}</dd>
          </div>
          <div>
            <dt>{words.sentTo}</dt>
            <dd class="bytes" data-sent="to">
              POST {location.origin + letter.path}
            </dd>
          </div>
          <div>
            <dt>{words.sentBody}</dt>
            <dd class="bytes" data-sent="body">
              {letter.body}
            </dd>
            {invited && <dd class="fine">{words.sentHeader}</dd>}
          </div>
        </dl>
      </div>
      <div class="card">
        <h2>{words.conclude}</h2>
        {collection.freeText ? (
          <TextConclusion collection={collection} record={sent.record} text={answer} />
        ) : (
          <>
            <p>{words.concludeWhy}</p>
            <Drawn conclusion={conclude(collection, hexToBytes(sent.record))} />
          </>
        )}
      </div>
    </section>
  );
}

function Drawn({ conclusion }: { readonly conclusion: Conclusion }) {
  const words = useWords();
  const { answers, posterior, ratio, most } = conclusion;
  const bars = answers.map((label, i) => ({ label, share: posterior[i] as number }));
  return (
    <>
      <Bars bars={bars} label={words.conclude} whole />
      <p>{words.concludeMost(upTo(ratio, 3), upTo(most, 3))}</p>
    </>
  );
}

interface TextConclusionProps {
  readonly collection: Collection;
  readonly record: string;
  readonly text: string | null;
}

/** A text against another one, which the person may choose. */
function TextConclusion({ collection, record, text }: TextConclusionProps) {
  const words = useWords();
  const [other, setOther] = useState(words.anotherDefault);
  if (text === null) return <p>{words.concludeLater}</p>;
  return (
    <>
      <p>{words.concludeText}</p>
      <label class="field">
        {words.another}
        <input
          type="text"
          value={other}
          autocomplete="off"
          onInput={({ currentTarget }) => setOther(currentTarget.value)}
        />
      </label>
      <Compared collection={collection} record={record} text={text} other={other} />
    </>
  );
}

interface ComparedProps {
  readonly collection: Collection;
  readonly record: string;
  readonly text: string;
  readonly other: string;
}

function Compared({ collection, record, text, other }: ComparedProps) {
  const words = useWords();
  if (other === "" || other === text) return null;
  try {
    const conclusion = conclude(collection, hexToBytes(record), [text, other]);
    return <Drawn conclusion={{ ...conclusion, answers: [words.yours(text), other] }} />;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return <p class="notice">{words.failed(error.message)}</p>;
  }
}
