/** What the device refuses, each in one sentence. None of them holds an answer or a secret. */

/** Something that the device refuses. */
export class Refused extends Error {
  override readonly name: string = "Refused";
}

/** An answer that the question doesn't allow; nothing was randomised or sent. */
export class InvalidAnswer extends Refused {
  override readonly name = "InvalidAnswer";
}

/** Bytes that no device of the collection can have sent. */
export class InvalidReport extends Refused {
  override readonly name = "InvalidReport";
}

/** Not a collection, or one that says less than it costs, or another than was agreed to. */
export class InvalidDocument extends Refused {
  override readonly name = "InvalidDocument";

  constructor(
    message: string,
    /** A mechanism that a browser doesn't speak, if that is why. */
    readonly mechanism: string | null = null,
  ) {
    super(message);
  }
}

/** A round that was told already, or that is past. */
export class RoundPassed extends Refused {
  override readonly name = "RoundPassed";
}

/** A script that has no more words. */
export class ScriptExhausted extends Refused {
  override readonly name = "ScriptExhausted";
}
