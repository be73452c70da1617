/** LOLOHA: a hash of the answer, randomised once for good and again for every report. */

import { checkAnswers } from "./categories";
import { CERTAIN, below, coins } from "./coins";
import {
  fraction,
  over,
  plus,
  raised,
  rest,
  times,
  toNumber,
  type Fraction,
  type Power,
} from "./fractions";
import { epsilonOf, type Memoised } from "./memoised";
import {
  asFraction,
  chance,
  chanceText,
  checkFields,
  require,
  type Parameters,
  type Unread,
} from "./parameters";
import { Hashes, readHashes } from "./points";
import type { Digest } from "./strings";
import type { Words } from "./words";

/**
 * A seed for life, a cell kept for each hash, and one told anew for each report.
 *
 * Noise is kept for each of `prime` cells, not for each answer: however often an answer changes, it
 * comes to the noise of all cells.
 */
export class Loloha extends Hashes implements Memoised<Uint32Array> {
  readonly name = "loloha";

  private constructor(
    k: number,
    prime: number,
    dimension: number,
    readonly lasting: bigint,
    readonly fresh: bigint,
  ) {
    const [first, second] = [asFraction(lasting), asFraction(fresh)];
    const back = over(times(rest(first), rest(second)), fraction(BigInt(prime - 1)));
    super(k, plus(times(first, second), back), prime, dimension);
    for (const [name, edge] of Object.entries({ lasting, fresh })) {
      const allowed = edge * BigInt(prime) > CERTAIN && edge < CERTAIN;
      require(allowed, `${name} must be above 1/${prime} and below 1`);
    }
  }

  static read(document: Unread): Loloha {
    checkFields("loloha", document, ["k", "prime", "dimension", "lasting", "fresh"]);
    const [k, prime, dimension] = readHashes(document);
    const [lasting, fresh] = [
      chance("lasting", document["lasting"]),
      chance("fresh", document["fresh"]),
    ];
    return new Loloha(k, prime, dimension, lasting, fresh);
  }

  document(): Parameters {
    const { name, k, prime, dimension } = this;
    const [lasting, fresh] = [chanceText(this.lasting), chanceText(this.fresh)];
    return { name, k, prime, dimension, lasting, fresh };
  }

  /** What is kept of one cell: its own chance, over that of another one. */
  get lifetimeRatio(): Power {
    const kept = asFraction(this.lasting);
    return { base: over(kept, this.#other(kept)), exponent: 1 };
  }

  epsilonOf(reports: number): number {
    return epsilonOf(reports, (count) => this.#ratioOf(count), this.lifetimeRatio);
  }

  /** The worst case: all reports tell the cell. */
  #ratioOf(reports: number): Power {
    const [lasting, fresh] = [asFraction(this.lasting), asFraction(this.fresh)];
    const other = this.#other(lasting);
    const said = raised({ base: fresh, exponent: reports });
    const unsaid = raised({ base: this.#other(fresh), exponent: reports });
    const own = plus(times(lasting, said), times(rest(lasting), unsaid));
    return { base: over(own, plus(times(other, said), times(rest(other), unsaid))), exponent: 1 };
  }

  /** The chance of each other cell, where one has this chance. */
  #other(own: Fraction): Fraction {
    return over(rest(own), fraction(BigInt(this.prime - 1)));
  }

  /**
   * How well all reports together tell a person whose answer changed once from one whose didn't, at
   * most: the chance that two cells are kept as different ones.
   */
  get changeShows(): number {
    const own = asFraction(this.lasting);
    const other = this.#other(own);
    const met = plus(
      times(fraction(2n), times(own, other)),
      times(fraction(BigInt(this.prime - 2)), times(other, other)),
    );
    return toNumber(times(rest(fraction(1n, BigInt(this.prime))), rest(met)));
  }

  /** A seed for each device. */
  assign(count: number, words: Words): Uint32Array {
    return below(words, this.supporting, count);
  }

  /** The cell of an answer. */
  remembered(value: number | Digest, seed: number): number {
    return this.cell(seed, value as number);
  }

  /** What devices keep of the cells of their answers: these, or others. */
  permanent(values: readonly (number | Digest)[], seeds: Uint32Array, words: Words): Uint32Array {
    const cells = values.map((value, person) => this.remembered(value, seeds[person] as number));
    return this.#moved(cells, this.lasting, words);
  }

  /** The reports of what is kept: that, or another cell, and the seed. */
  instant(kept: Uint32Array, seeds: Uint32Array, words: Words): Uint8Array {
    const told = this.#moved(Array.from(kept), this.fresh, words);
    return this.records(Array.from(told, (cell, i) => this.prime * (seeds[i] as number) + cell));
  }

  /** Each cell with a chance, else another one. */
  #moved(cells: readonly number[], keep: bigint, words: Words): Uint32Array {
    const honest = coins(words, keep, cells.length);
    const off = below(words, this.prime - 1, cells.length);
    return Uint32Array.from(cells, (cell, i) =>
      honest[i] ? cell : (cell + (off[i] as number) + 1) % this.prime,
    );
  }

  /** The reports of people who answer once, one after the other. */
  override randomize(values: readonly number[], words: Words): Uint8Array {
    checkAnswers(values, this.k);
    const seeds = this.assign(values.length, words);
    return this.instant(this.permanent(values, seeds, words), seeds, words);
  }
}
