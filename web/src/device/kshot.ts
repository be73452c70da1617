/** KShot: several rounds per person, and noise drawn for all of them together. */

import { CERTAIN, below, coins } from "./coins";
import { Continual, MOST_ROUNDS, type Plan } from "./continual";
import { fraction, rest, type Fraction, type Power } from "./fractions";
import { quotient } from "./integers";
import {
  chance,
  chanceText,
  checkFields,
  require,
  wholeNumber,
  type Parameters,
  type Unread,
} from "./parameters";
import type { Words } from "./words";

const MOST_SHOTS = 16;

/**
 * The state in `shots` rounds. With chance `few` the rounds to lie in are one of the patterns of at
 * most `flips` lies, else one of the others, any alike.
 */
export class KShot extends Continual {
  readonly name = "kshot";
  /** How many patterns have at most `flips` lies, and how many have more. */
  readonly #near: number;
  readonly #far: number;

  private constructor(
    rounds: number,
    readonly shots: number,
    readonly flips: number,
    readonly few: bigint,
  ) {
    super(rounds);
    this.#near = sum(flips + 1, (lies) => choices(shots, lies));
    this.#far = 2 ** shots - this.#near;
  }

  static read(document: Unread): KShot {
    checkFields("kshot", document, ["rounds", "shots", "flips", "few"]);
    const rounds = wholeNumber("rounds", document["rounds"], 1, MOST_ROUNDS);
    const most = Math.min(rounds, MOST_SHOTS);
    const shots = wholeNumber("shots", document["shots"], 1, most);
    const flips = wholeNumber("flips", document["flips"], 0, shots - 1);
    const few = chance("few", document["few"]);
    require(few < CERTAIN, "few must be below 1");
    const made = new KShot(rounds, shots, flips, few);
    const { base } = made.worstRatio;
    // Then a state is flipped less than half the time, too: fewer lies are likelier.
    require(base.top > base.bottom, "few must be above the share of such patterns among all");
    return made;
  }

  document(): Parameters {
    const { name, rounds, shots, flips } = this;
    return { name, rounds, shots, flips, few: chanceText(this.few) };
  }

  get looks(): number {
    return this.shots;
  }

  get reportsEach(): number {
    return this.shots;
  }

  /** The chance of a pattern of few lies against that of one of many. */
  get worstRatio(): Power {
    const [near, far] = [BigInt(this.#near), BigInt(this.#far)];
    return { base: fraction(this.few * far, (CERTAIN - this.few) * near), exponent: 1 };
  }

  /** The chance of a lie in any one of a person's rounds. */
  get flip(): Fraction {
    // Of the patterns with i lies in k rounds, a share i/k lies in any given one of them.
    const ones = sum(this.flips, (lies) => choices(this.shots - 1, lies));
    const others = 2 ** (this.shots - 1) - ones;
    const [near, far] = [BigInt(this.#near), BigInt(this.#far)];
    const top = this.few * BigInt(ones) * far + (CERTAIN - this.few) * BigInt(others) * near;
    return fraction(top, CERTAIN * near * far);
  }

  get truth(): Fraction {
    return rest(this.flip);
  }

  draw(count: number, words: Words): Plan[] {
    const picks = Array.from({ length: this.shots }, (_, already) =>
      below(words, this.rounds - already, count),
    );
    const mostly = coins(words, this.few, count);
    const less = below(words, this.#near, count); // both are drawn, whatever the coin says
    const more = below(words, this.#far, count);
    const heard = new Uint8Array(this.shots).fill(1);
    return mostly.map((few, i) => ({
      rounds: distinct(picks.map((drawn) => drawn[i] as number)),
      heard,
      noise: this.#pattern(few ? (less[i] as number) : this.#near + (more[i] as number)),
    }));
  }

  /** The pattern of a number: those with fewer lies come first, then those of a lower value. */
  #pattern(number: number): Uint8Array {
    let [left, lies] = [number, 0];
    for (let those; left >= (those = choices(this.shots, lies)); lies++) left -= those;
    const noise = new Uint8Array(this.shots);
    for (let place = this.shots - 1; place >= 0; place--) {
      const without = choices(place, lies); // patterns with all their lies in lower places
      if (left < without) continue;
      [noise[place], left, lies] = [1, left - without, lies - 1];
    }
    return noise;
  }
}

/** Picks become different rounds, from 1, rising: each counts only those that are left. */
function distinct(picks: readonly number[]): Uint32Array {
  const chosen: number[] = [];
  for (const pick of picks) {
    let [place, round] = [0, pick];
    while (place < chosen.length && (chosen[place] as number) <= round)
      [place, round] = [place + 1, round + 1];
    chosen.splice(place, 0, round);
  }
  return Uint32Array.from(chosen, (before) => before + 1);
}

/** In how many ways so many of some things can be chosen. */
function choices(things: number, chosen: number): number {
  let ways = 1;
  for (let i = 0; i < chosen; i++) ways = quotient(ways * (things - i), i + 1);
  return ways;
}

function sum(count: number, part: (index: number) => number): number {
  let all = 0;
  for (let index = 0; index < count; index++) all += part(index);
  return all;
}
