/** Work that isn't begun again while it goes on, and whose button keeps the focus meanwhile. */

import { useRef } from "preact/hooks";

export function useOnce(): (work: () => Promise<void>) => Promise<void> {
  const busy = useRef(false);
  return async (work) => {
    if (busy.current) return;
    busy.current = true;
    try {
      await work();
    } finally {
      busy.current = false;
    }
  };
}
