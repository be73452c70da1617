/** What the collector says when it refuses: a code for programs, a sentence for people. */

/** A wish by its name, with a value that would do instead. */
export type Way = Readonly<Record<string, number>>;

/** An error response of the collector. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** What would do instead, where a plan can't be had. */
    readonly waysOut: readonly Way[] = [],
  ) {
    super(message);
  }
}

/** The problem of a response that isn't a success, whatever stands in its body. */
export async function problemOf(response: Response): Promise<Problem> {
  try {
    const { error } = (await response.json()) as {
      error: { code: string; message: string; ways_out?: readonly Way[] };
    };
    return new Problem(response.status, `${error.code}`, `${error.message}`, error.ways_out);
  } catch {
    // A proxy's page, perhaps: nothing in it is ours to show.
    return new Problem(response.status, "unknown", `HTTP ${response.status}`);
  }
}
