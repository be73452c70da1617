/** The survey page: the question that its address stands for, or why it can't be answered. */

import { useEffect, useState } from "preact/hooks";

import { ask, fetchDocument, type Standing } from "../collector/api";
import { Problem } from "../collector/problem";
import { Collection, InvalidDocument, type Keeper } from "../device";
import { reasonText } from "../page/reason";
import { isolated } from "../page/strangers";
import { useWords, type Words } from "./language";
import { Question } from "./question";
import { Person, openKeeper } from "./person";

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
      readonly keeper: Keeper;
    };

/** The page of the collection whose key the address says. */
export function Survey({ address }: { readonly address: string }) {
  const words = useWords();
  const [loaded, setLoaded] = useState<Loaded>({ kind: "loading" });
  const load = (): void => {
    setLoaded({ kind: "loading" });
    void open(address).then(setLoaded);
  };
  useEffect(load, [address]);

  if (loaded.kind === "ready") return <Question {...loaded} />;
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

async function open(address: string): Promise<Loaded> {
  const keeper = openKeeper();
  if (!keeper) return { kind: "refused", why: (words) => words.noStorage };
  try {
    const data = await fetchDocument(address);
    const standing = await ask(`/collections/${encodeURIComponent(address)}/standing`);
    const collection = Collection.readPinned(data, address);
    if (!new Person(keeper).isSound(collection.key)) {
      return { kind: "refused", why: (words) => words.notesChanged };
    }
    return {
      kind: "ready",
      collection,
      standing: (await standing.json()) as Standing,
      keeper,
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
    return { kind: "failed", why: (words) => words.notLoaded, error };
  }
}
