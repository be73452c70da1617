/** Glance: one round, drawn in advance, and randomised response there. */

import { below } from "./coins";
import { Repeated, type Plan } from "./continual";
import type { Unread } from "./parameters";
import type { Words } from "./words";

/** The true state with chance `keep` in one round of `rounds`, silence in all others. */
export class Glance extends Repeated {
  readonly name = "glance";

  constructor(document: Unread) {
    super("glance", document);
  }

  get reportsEach(): number {
    return 1;
  }

  draw(count: number, words: Words): Plan[] {
    const drawn = below(words, this.rounds, count);
    const lies = this.lies(count, words);
    return Array.from(drawn, (before, i) => ({
      rounds: Uint32Array.of(before + 1),
      heard: Uint8Array.of(1),
      noise: lies.subarray(i, i + 1),
    }));
  }
}
