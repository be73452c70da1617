/** A device's secret: it answers with digests, and never with itself. */

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

import { Refused } from "./errors";

export const SECRET_BYTES = 32;

/** 32 random bytes, wherever they are kept. */
export interface Secret {
  /** HMAC-SHA-256 of a message, with the secret as its key. */
  digest(message: Uint8Array): Promise<Uint8Array>;
}

/** A secret whose bytes the program has. */
export class PlainSecret implements Secret {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    if (bytes.length !== SECRET_BYTES) {
      throw new Refused(`a device's secret is ${SECRET_BYTES} bytes, got ${bytes.length}`);
    }
    this.#bytes = Uint8Array.from(bytes);
  }

  /** Fresh bytes from the system, to be kept for the device's life. */
  static fresh(): Uint8Array {
    return crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  }

  async digest(message: Uint8Array): Promise<Uint8Array> {
    return hmac(sha256, this.#bytes, message);
  }
}

const HMAC = { name: "HMAC", hash: "SHA-256", length: 8 * SECRET_BYTES };

/** A secret in a key of the browser's: a program may use it, but can't take it away. */
export class KeySecret implements Secret {
  readonly #key: CryptoKey;

  constructor(key: CryptoKey) {
    this.#key = key;
  }

  /** A fresh key from the system; nobody has ever seen its bytes. */
  static fresh(): Promise<CryptoKey> {
    return crypto.subtle.generateKey(HMAC, false, ["sign"]);
  }

  /** The key of a secret that was kept as bytes: its digests are the same. */
  static of(bytes: Uint8Array): Promise<CryptoKey> {
    return crypto.subtle.importKey("raw", Uint8Array.from(bytes), HMAC, false, ["sign"]);
  }

  async digest(message: Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.sign("HMAC", this.#key, Uint8Array.from(message)));
  }
}
