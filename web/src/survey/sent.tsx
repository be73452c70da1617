/** Exactly what was sent, what that means, and what the collector can conclude from it. */

import type { RefObject } from "preact";

import { letterOf } from "../collector/deliver";
import type { Collection } from "../device";
import { hexToBytes } from "@noble/hashes/utils.js";
import { grouped } from "../page/numbers";
import { kindOf } from "./kinds";
import { useWords, type Words } from "./language";
import type { Sent } from "./person";

interface SentReportProps {
  readonly heading: RefObject<HTMLHeadingElement | null>;
  readonly collection: Collection;
  readonly collector: string;
  readonly sent: Sent;
  /** What was answered, if the page still knows. */
  readonly answer: string | null;
}

export function SentReport({ heading, collection, collector, sent, answer }: SentReportProps) {
  const words = useWords();
  const kind = kindOf(collection);
  const record = hexToBytes(sent.record);
  const letter = letterOf(collector, collection.key, sent);
  return (
    <section class="sent">
      <div class="card">
        <h2 ref={heading} tabIndex={-1}>
          {headingOf(words, sent)}
        </h2>
        <dl>
          <div>
            <dt>{words.inWords}</dt>
            <dd class="words">{kind.report(words, collection, record)}</dd>
            <dd class="meaning">
              {answer === null ? words.forgotten : kind.meaning(words, collection, record, answer)}
            </dd>
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
              POST {letter.address}
            </dd>
          </div>
          <div>
            <dt>{words.sentBody}</dt>
            <dd class="bytes" data-sent="body">
              {letter.body}
            </dd>
            {collection.invited && <dd class="fine">{words.sentHeader}</dd>}
          </div>
        </dl>
      </div>
      <div class="card">
        <h2>{words.conclude}</h2>
        <kind.Conclusion collection={collection} record={record} answer={answer} />
      </div>
    </section>
  );
}

/** Only what a collector has taken, or may have, is called sent. */
function headingOf(words: Words, { settled, fate }: Sent): string {
  if (!settled) return words.beingSent;
  return fate === "refused" ? words.wasntTaken : words.sent;
}
