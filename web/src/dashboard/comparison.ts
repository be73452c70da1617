/** The difference of two shares that were estimated apart, with its interval. */

/** A share and an interval around it. */
export interface Bounded {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/**
 * How much larger `now` is than `then`. The interval has the level of theirs: it is made of their
 * ends (Newcombe's way, MOVER), as if their errors had nothing to do with each other. So it is, as
 * each window is randomised anew; where a device keeps its noise, the errors of the same people go
 * together, and the interval is wider than need be.
 */
export function difference(now: Bounded, then: Bounded): Bounded {
  const share = now.share - then.share;
  return {
    share,
    low: share - Math.hypot(now.share - now.low, then.high - then.share),
    high: share + Math.hypot(now.high - now.share, then.share - then.low),
  };
}
