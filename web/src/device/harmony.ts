/** Harmony: one round, drawn in advance, with randomised response, and 0 in all others. */

import { below } from "./coins";
import { Repeated, everyRound, type Plan } from "./continual";
import type { Unread } from "./parameters";
import type { Words } from "./words";

/** Glance, but who isn't asked in a round says 0 there, so that nobody sees who was. */
export class Harmony extends Repeated {
  readonly name = "harmony";

  constructor(document: Unread) {
    super("harmony", document);
  }

  get reportsEach(): number {
    return this.rounds;
  }

  draw(count: number, words: Words): Plan[] {
    const drawn = below(words, this.rounds, count);
    const lies = this.lies(count, words);
    const rounds = everyRound(this.rounds);
    return Array.from(drawn, (before, i) => {
      const [heard, noise] = [new Uint8Array(this.rounds), new Uint8Array(this.rounds)];
      [heard[before], noise[before]] = [1, lies[i] as number];
      return { rounds, heard, noise };
    });
  }
}
