/** Why nothing can be answered now, as a page of its own: what it is, and what to do. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Admission } from "../collector/admission";
import type { Problem } from "../collector/problem";
import { reasonText } from "../page/reason";
import { useWords, type Words } from "./language";

/** What stands in the way, and what somebody can do about it. */
export interface Sentence {
  readonly title: string;
  readonly what: string;
}

/** Something that stands between a person and a question. Nothing was drawn, charged or sent. */
export interface Obstacle {
  /** What it is, by the name under which tests and the page itself know it. */
  readonly name: string;
  readonly says: (words: Words) => Sentence;
  /** Whether it may be gone the next time. */
  readonly passes: boolean;
  /** What whoever refused has said, which is English. */
  readonly detail?: string;
}

type Known = keyof Words["obstacles"];

/** An obstacle that every language has its words for. */
export function known(name: Known, passes = false): Obstacle {
  return { name, says: (words) => words.obstacles[name], passes };
}

/** No connection: the browser knows of none, or nobody answers. */
export function unreachable(): Obstacle {
  return known(navigator.onLine ? "unreachable" : "offline", true);
}

const GONE_LATER = new Set<string>(["paused", "window_full", "window_not_open"]);

/** A collector's refusal, by its code. */
export function refused(problem: Problem): Obstacle {
  const { code, status } = problem;
  if (status === 404) return known("unknown_collection");
  if (status === 408 || status === 429 || status >= 500) return known("busy", true);
  const isKnown = (name: string, words: Words): name is Known =>
    Object.hasOwn(words.obstacles, name);
  return {
    name: code,
    says: (words) =>
      isKnown(code, words)
        ? words.obstacles[code]
        : { title: words.refusedTitle, what: reasonText(words, problem) },
    passes: GONE_LATER.has(code),
  };
}

/** What stands in the way of a report, if anything does. */
export function obstacleOf(admission: Admission): Obstacle | null {
  if (admission.kind === "admitted") return null;
  return admission.kind === "refused" ? refused(admission.problem) : unreachable();
}

interface ObstaclePageProps {
  readonly obstacle: Obstacle;
  readonly retry: () => void;
  /** Whether a person came across it, rather than opened the page and found it there. */
  readonly met?: boolean;
  readonly children?: ComponentChildren;
}

/** The page of an obstacle. If it may be gone with the network's return, that is waited for. */
export function ObstaclePage({ obstacle, retry, met = false, children }: ObstaclePageProps) {
  const words = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  const { title, what } = obstacle.says(words);
  useEffect(() => {
    if (met) heading.current?.focus();
    if (!obstacle.passes) return undefined;
    addEventListener("online", retry);
    return () => removeEventListener("online", retry);
  }, [obstacle]);
  return (
    <div class="notice obstacle" role="alert" data-obstacle={obstacle.name}>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p>{what}</p>
      {obstacle.detail && (
        <p class="fine" lang="en">
          {obstacle.detail}
        </p>
      )}
      <p class="fine">{words.nothingSent}</p>
      <div class="ways">
        {obstacle.passes && (
          <button type="button" onClick={retry}>
            {words.retry}
          </button>
        )}
        {children}
      </div>
    </div>
  );
}
