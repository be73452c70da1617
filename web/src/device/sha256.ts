/**
 * SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104).
 *
 * Our own, since libraries for every hash weigh nearly four times as much on a page. A test holds them to
 * two other implementations at every length around a block. No step depends on the data: neither
 * a branch nor an address.
 */

import { concatBytes } from "./bytes";

const BLOCK = 64; // bytes

const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter(
  (n) => n > 1 && !Array.from({ length: n }, (_, d) => d).some((d) => d > 1 && n % d === 0),
);

/** The first 32 bits after the point of a root. Whole numbers only: floats have too few bits. */
function rootBits(prime: number, power: bigint): number {
  const wanted = BigInt(prime) << (32n * power);
  let root = 0n;
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) {
    if ((root + bit) ** power <= wanted) root += bit;
  }
  return Number(BigInt.asIntN(32, root));
}

const CONSTANTS = Int32Array.from(PRIMES, (prime) => rootBits(prime, 3n));
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => rootBits(prime, 2n));

const turned = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

/** The hash of a message. */
export function sha256(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + 9) / BLOCK);
  const padded = new Uint8Array(blocks * BLOCK);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  const state = START.slice();
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, view, at);
  const hash = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => hash.setInt32(4 * i, word));
  return new Uint8Array(hash.buffer);
}

function compress(state: Int32Array, view: DataView, at: number): void {
  const w = new Int32Array(64);
  let [a, b, c, d, e, f, g, h] = state as unknown as [...Eight];
  for (let t = 0; t < 64; t++) {
    const [near, far] = [w[t - 2] as number, w[t - 15] as number];
    w[t] =
      t < 16
        ? view.getInt32(at + 4 * t)
        : (turned(near, 17) ^ turned(near, 19) ^ (near >>> 10)) +
          (w[t - 7] as number) +
          (turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)) +
          (w[t - 16] as number);
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first =
      h +
      (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
      choice +
      (CONSTANTS[t] as number) +
      (w[t] as number);
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i] as number) + word));
}

type Eight = [number, number, number, number, number, number, number, number];

/** HMAC-SHA-256 of a message under a key of at most 64 bytes. */
export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  if (key.length > BLOCK) throw new RangeError(`a key has at most 64 bytes, got ${key.length}`);
  const pad = (byte: number): Uint8Array =>
    new Uint8Array(BLOCK).map((_, i) => (key[i] ?? 0) ^ byte);
  return sha256(concatBytes(pad(0x5c), sha256(concatBytes(pad(0x36), message))));
}
