/** The survey page: the question that its address stands for, or why it can't be answered. */

import { useEffect, useState } from "preact/hooks";

import { answersAtAll, ask, fetchDocument, type Standing } from "../collector/api";
import { Problem } from "../collector/problem";
import { Collection, InvalidDocument } from "../device";
import { reasonText } from "../page/reason";
import { isolated } from "../page/strangers";
import { useWords } from "./language";
import { ObstaclePage, known, refused, unreachable, type Obstacle } from "./obstacle";
import { Person, alone, openKeeper } from "./person";
import { isHostedElsewhere, type Place } from "./place";
import { Question } from "./question";
import { openKeys } from "./secret";

/** All that a question needs to be asked. */
export interface Opened {
  readonly collection: Collection;
  readonly standing: Standing;
  readonly person: Person;
}

interface SurveyProps {
  readonly place: Place;
  /** What `open` has found: it was asked for before there were words to show it in. */
  readonly opening: Promise<Opened | Obstacle>;
}

/** The page of the collection whose key the link says. */
export function Survey({ place, opening }: SurveyProps) {
  const words = useWords();
  const [found, setFound] = useState<Opened | Obstacle | null>(null);
  const load = (): void => {
    setFound(null);
    void open(place).then(setFound);
  };
  useEffect(() => void opening.then(setFound), []);

  if (found && "person" in found) return <Question {...found} place={place} reload={load} />;
  return (
    <main class="narrow">
      <h1>{words.subject}</h1>
      {found ? (
        <ObstaclePage obstacle={found} retry={load} />
      ) : (
        <p role="status">{words.loading}</p>
      )}
    </main>
  );
}

/** The question that a link stands for, or what stands in its way. */
export async function open(place: Place): Promise<Opened | Obstacle> {
  const { collector, key } = place;
  const keeper = openKeeper();
  if (!keeper) return known("noStorage");
  if (!key) return known("noKey");
  try {
    const path = `${collector}/collections/${encodeURIComponent(key)}/standing`;
    const [data, asked] = await Promise.all([fetchDocument(key, collector), ask(path)]);
    const collection = Collection.readPinned(data, key);
    const person = new Person(keeper, openKeys());
    if (!(await alone(() => person.isSound(collection.key)))) return known("notesChanged");
    return { collection, standing: (await asked.json()) as Standing, person };
  } catch (error) {
    return await obstacleOf(error, place);
  }
}

/** What an error on the way to the question means for the person. */
async function obstacleOf(error: unknown, place: Place): Promise<Obstacle> {
  if (error instanceof Problem) return refused(error);
  if (error instanceof InvalidDocument) {
    const { mechanism, message: detail } = error;
    if (mechanism === null) return { ...known("otherDocument"), detail };
    return {
      name: "otherMechanism",
      says: (words) => words.otherMechanism(isolated(mechanism)),
      passes: false,
      detail,
    };
  }
  // Of fetch. Browsers don't tell a page which it is: that nobody answers, or that it mustn't ask.
  if (error instanceof TypeError) {
    const { host, collector } = place;
    if (!isHostedElsewhere(place) || !(await answersAtAll(collector))) return unreachable();
    return {
      name: "notAllowed",
      says: (words) => words.notAllowed(host, collector),
      passes: true,
    };
  }
  return {
    name: "failed",
    says: (words) => ({ title: words.failedTitle, what: reasonText(words, error) }),
    passes: true,
  };
}
