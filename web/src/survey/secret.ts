/**
 * Where a page keeps its device's secret: in a key that no script can read, if the browser has such
 * keys, else as text beside the other notes.
 *
 * The notes say which: the secret itself (as pages of before left it), that a key has it, or nothing.
 * A key that the notes don't speak of is none. So a crash between two steps repeats the first one,
 * and who clears the notes is a new device, whatever else the browser has kept.
 */

import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

import { KeySecret, PlainSecret, Refused, type Keeper, type Secret } from "../device";

const NAME = "sudare secret";
/** Stands where the text stood: a page of before can't read it, so that it sends nothing. */
const AS_KEY = "kept as a key";

/** A place for one key: IndexedDB is one. */
export interface KeyStore {
  load(): Promise<CryptoKey | null>;
  /** Keep a key instead of any other; it is there when the promise is kept. */
  save(key: CryptoKey): Promise<void>;
}

/** Whether the notes speak of a secret. */
export function hasSecret(keeper: Keeper): boolean {
  return keeper.getItem(NAME) !== null;
}

/**
 * The device's secret, made if there is none; one that was kept as text becomes a key. To be called
 * under a lock that all tabs share.
 */
export async function openSecret(keeper: Keeper, keys: KeyStore | null): Promise<Secret> {
  const noted = keeper.getItem(NAME);
  if (noted === AS_KEY) {
    const key = keys && (await keys.load());
    // A new secret beside the old notes would tell what the old noise was to hide.
    if (!key) throw new Refused("the device's secret is gone");
    return new KeySecret(key);
  }
  if (noted !== null && !/^[0-9a-f]{64}$/.test(noted)) {
    throw new Refused("the device's secret was changed, so it can't be trusted");
  }
  const bytes = noted === null ? null : hexToBytes(noted);
  const key = keys && (await saved(keys, bytes));
  if (key) {
    keeper.setItem(NAME, AS_KEY); // only now: the key is there
    return new KeySecret(key);
  }
  const plain = bytes ?? PlainSecret.fresh();
  if (bytes === null) keeper.setItem(NAME, bytesToHex(plain));
  return new PlainSecret(plain);
}

/** A kept key, of these bytes or fresh; null if this browser keeps none, as in some private windows. */
async function saved(keys: KeyStore, bytes: Uint8Array | null): Promise<CryptoKey | null> {
  const key = await (bytes ? KeySecret.of(bytes) : KeySecret.fresh());
  try {
    await keys.save(key);
    return key;
  } catch {
    return null;
  }
}

/**
 * The place for a key in this browser; null if it has none.
 *
 * Pages that came over plain HTTP, but from this machine, have no keys and no locks. Without locks
 * two tabs could each make one.
 */
export function openKeys(): KeyStore | null {
  const { locks } = navigator as { locks?: LockManager };
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (!locks || !subtle || !globalThis.indexedDB) return null;
  return {
    load: async () =>
      ((await inStore("readonly", (store) => store.get(NAME))) as CryptoKey) ?? null,
    save: async (key) => void (await inStore("readwrite", (store) => store.put(key, NAME))),
  };
}

const STORE = "keys";

/** One request of a store, when it has been done; what was written is on the disk then. */
async function inStore<T>(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open("sudare", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode, { durability: "strict" });
      const asked = request(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}
