/** A collection as it changes. */

import { useEffect, useState } from "preact/hooks";

import type { Estimate, Standing } from "../collector/api";
import { listen } from "../collector/events";
import { Problem } from "../collector/problem";

export type Connection = "connecting" | "live" | "lost" | "refused";

export interface Live {
  readonly standing: Standing | null;
  readonly estimate: Estimate | null;
  readonly connection: Connection;
  /** Why the collector refuses, if it does. */
  readonly problem: Problem | null;
  /** Why there is no estimate, as far as it was said. */
  readonly waiting: Problem | null;
}

const NOTHING: Live = {
  standing: null,
  estimate: null,
  connection: "connecting",
  problem: null,
  waiting: null,
};

/** How a collection stands and what it shows, from now on. */
export function useLive(key: string, window: string, token: string): Live {
  const [live, setLive] = useState<Live>(NOTHING);
  useEffect(() => {
    const ending = new AbortController();
    const change = (part: Partial<Live>): void => {
      if (!ending.signal.aborted) setLive((before) => ({ ...before, ...part }));
    };
    setLive((before) => ({ ...NOTHING, standing: before.standing }));
    void listen(
      `/collections/${key}/live?window=${window}`,
      token,
      {
        connected: () => change({ connection: "live", problem: null }),
        lost: () => change({ connection: "lost" }),
        refused: (problem) => change({ connection: "refused", problem }),
        heard: ({ kind, data }) => {
          if (kind === "standing") change({ standing: JSON.parse(data) as Standing });
          else if (kind === "estimate") {
            change({ estimate: JSON.parse(data) as Estimate, waiting: null });
          } else if (kind === "waiting") {
            const { code, message } = JSON.parse(data) as { code: string; message: string };
            change({ waiting: new Problem(200, code, message) });
          }
        },
      },
      ending.signal,
    );
    return () => ending.abort();
  }, [key, window, token]);
  return live;
}
