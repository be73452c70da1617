/** BORAPPOR, basic one-time RAPPOR: randomised response in every round. */

import { Repeated, everyRound, type Plan } from "./continual";
import type { Unread } from "./parameters";
import type { Words } from "./words";

const MOST_ROUNDS = 10_000; // as in Python: the ratio of more takes long to compute exactly

/** The true state with chance `keep` in every round, each by a coin of its own. */
export class Borappor extends Repeated {
  readonly name = "borappor";

  constructor(document: Unread) {
    super("borappor", document, MOST_ROUNDS);
  }

  override get looks(): number {
    return this.rounds;
  }

  get reportsEach(): number {
    return this.rounds;
  }

  draw(count: number, words: Words): Plan[] {
    const lies = this.lies(count, words);
    const rounds = everyRound(this.rounds);
    const heard = new Uint8Array(this.rounds).fill(1);
    return Array.from({ length: count }, (_, person) => ({
      rounds,
      heard,
      noise: lies.subarray(person * this.rounds, (person + 1) * this.rounds),
    }));
  }
}
