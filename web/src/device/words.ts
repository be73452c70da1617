/** Where chance comes from: streams of uniform 64-bit words. */

import { ctr } from "@noble/ciphers/aes.js";

import { ScriptExhausted } from "./errors";
import { getWords, quotientUp } from "./integers";

/** A stream of uniform 64-bit words. A word that was drawn is gone. */
export interface Words {
  /** The next `count` words. */
  take(count: number): BigUint64Array;
}

const MOST_BYTES = 65_536; // of one call of getRandomValues

/** Words of the system's own source of randomness: never the same again. */
export class SystemWords implements Words {
  take(count: number): BigUint64Array {
    const bytes = new Uint8Array(8 * count);
    for (let at = 0; at < bytes.length; at += MOST_BYTES) {
      crypto.getRandomValues(bytes.subarray(at, at + MOST_BYTES));
    }
    return getWords(bytes, 0, count);
  }
}

/** Words given in advance: the same script gives the same reports in every language. */
export class ScriptedWords implements Words {
  #used = 0;
  readonly #script: readonly bigint[];

  constructor(script: readonly bigint[]) {
    this.#script = script;
  }

  /** How many words were drawn. */
  get used(): number {
    return this.#used;
  }

  take(count: number): BigUint64Array {
    const left = this.#script.length - this.#used;
    if (count > left) {
      throw new ScriptExhausted(`the script has ${left} words left, ${count} are needed`);
    }
    this.#used += count;
    return BigUint64Array.from(this.#script.slice(this.#used - count, this.#used));
  }
}

const BLOCK = 16; // bytes
const SOME = 64; // words made at a time, at least: most draws need fewer

/** Words that a secret key of 32 bytes determines: what a device must draw again alike. */
export class DerivedWords implements Words {
  readonly #key: Uint8Array;
  #counter = 0n; // blocks made
  #made: BigUint64Array = new BigUint64Array(0);
  #used = 0; // of those made

  /** AES-256-CTR of zeros, from a counter of zero. */
  constructor(key: Uint8Array) {
    this.#key = Uint8Array.from(key);
  }

  take(count: number): BigUint64Array {
    const left = this.#made.subarray(this.#used);
    if (count <= left.length) {
      this.#used += count;
      return left.slice(0, count);
    }
    const taken = new BigUint64Array(count);
    taken.set(left);
    this.#make(count - left.length);
    this.#used = count - left.length;
    taken.set(this.#made.subarray(0, this.#used), left.length);
    return taken;
  }

  #make(atLeast: number): void {
    const blocks = quotientUp(8 * Math.max(SOME, atLeast), BLOCK);
    const start = new Uint8Array(BLOCK);
    new DataView(start.buffer).setBigUint64(8, this.#counter); // the highest byte first
    const bytes = ctr(this.#key, start).encrypt(new Uint8Array(BLOCK * blocks));
    this.#counter += BigInt(blocks);
    this.#made = getWords(bytes, 0, 2 * blocks);
  }
}
