/** What the collector says when it refuses: a code for programs, a sentence for people. */

/** An error response of the collector. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The problem of a response that isn't a success, whatever stands in its body. */
export async function problemOf(response: Response): Promise<Problem> {
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return new Problem(response.status, `${error.code}`, `${error.message}`);
  } catch {
    // A proxy's page, perhaps: nothing in it is ours to show.
    return new Problem(response.status, "unknown", `HTTP ${response.status}`);
  }
}
