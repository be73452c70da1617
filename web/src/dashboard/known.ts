/** What a collection's public document says: all of it where browsers speak it, else when it is. */

import { useEffect, useState } from "preact/hooks";

import { fetchDocument } from "../collector/api";
import { Collection, type Windows } from "../device";

export interface Known {
  /** Null until it is there, or if browsers don't speak it: then the collector's words stand. */
  readonly collection: Collection | null;
  readonly schedule: Windows | null;
}

const NOTHING: Known = { collection: null, schedule: null };

export function useDocument(key: string): Known {
  const [known, setKnown] = useState(NOTHING);
  useEffect(() => {
    fetchDocument(key).then(
      (data) => setKnown(read(data, key)),
      () => setKnown(NOTHING),
    );
  }, [key]);
  return known;
}

function read(data: Uint8Array, key: string): Known {
  try {
    const collection = Collection.readPinned(data, key);
    return { collection, schedule: collection.windows };
  } catch {
    const { windows } = JSON.parse(new TextDecoder().decode(data)) as { windows?: Windows };
    return { collection: null, schedule: windows ?? null };
  }
}
