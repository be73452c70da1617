/** Our hash against two others. */

import { createHash, createHmac } from "node:crypto";

import { hmac as otherHmac } from "@noble/hashes/hmac.js";
import { sha256 as otherSha256 } from "@noble/hashes/sha2.js";
import { expect, test } from "vitest";

import { bytesToHex, concatBytes, hexToBytes } from "../src/device/bytes";
import { hmac, sha256 } from "../src/device/sha256";

/** Bytes that are the same in every run, and no pattern. */
function bytesOf(length: number, start: number): Uint8Array {
  let state = start;
  return new Uint8Array(length).map(() => (state = (state * 75 + 74) % 65_537) & 255);
}

test("SHA-256 is that of FIPS 180-4", () => {
  const hash = (text: string): string => bytesToHex(sha256(new TextEncoder().encode(text)));
  expect(hash("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(hash("a".repeat(1e6))).toBe(
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
  );
});

test("SHA-256 and HMAC are those of OpenSSL and of @noble/hashes, at every length", () => {
  for (let length = 0; length <= 260; length++) {
    const message = bytesOf(length, length + 1);
    const key = bytesOf(length % 65, length + 1000);
    const hash = bytesToHex(sha256(message));
    expect(hash).toBe(createHash("sha256").update(message).digest("hex"));
    expect(hash).toBe(bytesToHex(otherSha256(message)));
    const code = bytesToHex(hmac(key, message));
    expect(code).toBe(createHmac("sha256", key).update(message).digest("hex"));
    expect(code).toBe(bytesToHex(otherHmac(otherSha256, key, message)));
  }
  expect(() => hmac(new Uint8Array(65), new Uint8Array())).toThrow("at most 64 bytes, got 65");
});

test("bytes are written in hexadecimal, and nothing else is read", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes);
  expect(hexToBytes("00fFA0")).toEqual(Uint8Array.of(0, 255, 160));
  expect(hexToBytes("")).toEqual(new Uint8Array());
  for (const wrong of ["0", "0g", " 00", "0x00", "00\n", "é0"]) {
    expect(() => hexToBytes(wrong)).toThrow("this is not hexadecimal");
  }
  expect(concatBytes(Uint8Array.of(1), new Uint8Array(), Uint8Array.of(2, 3))).toEqual(
    Uint8Array.of(1, 2, 3),
  );
});
