/** The survey page: the question that its address stands for, or why it can't be answered. */

import { useEffect, useState } from "preact/hooks";

import { answersAtAll, ask, fetchDocument, type Standing } from "../collector/api";
import { Problem } from "../collector/problem";
import { Collection, InvalidDocument } from "../device";
import { reasonText } from "../page/reason";
import { isolated } from "../page/strangers";
import { useWords, type Words } from "./language";
import { Question } from "./question";
import { Person, alone, openKeeper } from "./person";
import { isHostedElsewhere, type Place } from "./place";
import { openKeys } from "./secret";

type Loaded =
  | { readonly kind: "loading" }
  | {
      /** Of the two, only a failure may be gone the next time. */
      readonly kind: "refused" | "failed";
      readonly why: (words: Words) => string;
      readonly error?: unknown;
    }
  | {
      readonly kind: "ready";
      readonly collection: Collection;
      readonly standing: Standing;
      readonly person: Person;
    };

/** The page of the collection whose key the link says. */
export function Survey({ place }: { readonly place: Place }) {
  const words = useWords();
  const [loaded, setLoaded] = useState<Loaded>({ kind: "loading" });
  const load = (): void => {
    setLoaded({ kind: "loading" });
    void open(place).then(setLoaded);
  };
  useEffect(load, [place]);

  if (loaded.kind === "ready") return <Question {...loaded} place={place} />;
  return (
    <main class="narrow">
      {loaded.kind === "loading" && <p role="status">{words.loading}</p>}
      {"why" in loaded && (
        <div role="alert">
          <h1>{words.subject}</h1>
          <p class="notice">{loaded.why(words)}</p>
          <p class="fine" lang={loaded.kind === "refused" ? "en" : undefined}>
            {reasonText(words, loaded.error)}
          </p>
          {loaded.kind === "failed" && (
            <button type="button" onClick={load}>
              {words.retry}
            </button>
          )}
        </div>
      )}
    </main>
  );
}

async function open(place: Place): Promise<Loaded> {
  const { collector, key } = place;
  const keeper = openKeeper();
  if (!keeper) return { kind: "refused", why: (words) => words.noStorage };
  if (!key) return { kind: "refused", why: (words) => words.noCollection };
  try {
    const data = await fetchDocument(key, collector);
    const standing = await ask(`${collector}/collections/${encodeURIComponent(key)}/standing`);
    const collection = Collection.readPinned(data, key);
    const person = new Person(keeper, openKeys());
    if (!(await alone(() => person.isSound(collection.key)))) {
      return { kind: "refused", why: (words) => words.notesChanged };
    }
    return {
      kind: "ready",
      collection,
      standing: (await standing.json()) as Standing,
      person,
    };
  } catch (error) {
    if (error instanceof Problem && error.status === 404) {
      return { kind: "refused", why: (words) => words.noCollection };
    }
    if (error instanceof InvalidDocument) {
      const { mechanism } = error;
      return {
        kind: "refused",
        why: (words) =>
          mechanism ? words.otherMechanism(isolated(mechanism)) : words.otherDocument,
        error,
      };
    }
    // Browsers don't tell a page which of the two it is: that nobody answers, or that it mustn't ask.
    if (isHostedElsewhere(place) && error instanceof TypeError && (await answersAtAll(collector))) {
      return { kind: "failed", why: (words) => words.notAllowed(place.host, collector) };
    }
    return { kind: "failed", why: (words) => words.notLoaded, error };
  }
}
