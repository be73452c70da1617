/** Exact fractions, and logarithms of them rounded up, as src/sudare/chance/exact.py does. */

/** top / bottom, both above 0 or top 0. */
export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

/** A ratio to some power: kept apart, since the power may have millions of digits. */
export interface Power {
  readonly base: Fraction;
  readonly exponent: number;
}

/** A fraction in lowest terms. */
export function fraction(top: bigint, bottom = 1n): Fraction {
  let [a, b] = [top, bottom];
  while (b > 0n) [a, b] = [b, a % b];
  return { top: top / a, bottom: bottom / a };
}

export function times(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.top, a.bottom * b.bottom);
}

export function over(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.bottom, a.bottom * b.top);
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
}

/** a − b, for b at most a. */
export function less(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom);
}

/** Whether a < b. */
export function isLess(a: Fraction, b: Fraction): boolean {
  return a.top * b.bottom < b.top * a.bottom;
}

/** 1 − a. */
export function rest(a: Fraction): Fraction {
  return { top: a.bottom - a.top, bottom: a.bottom };
}

/** A float that is finite and not negative, as the fraction that it is. */
export function exactly(value: number): Fraction {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no fraction`);
  let [top, bottom] = [value, 1n];
  while (!Number.isInteger(top)) [top, bottom] = [top * 2, bottom * 2n]; // exact: a power of two
  return fraction(BigInt(top), bottom);
}

/** The smallest float not below a fraction. */
export function roundUp(a: Fraction): number {
  const least = roundDown(a);
  return isLess(exactly(least), a) ? nextUp(least) : least;
}

/** The largest float not above a fraction. */
export function roundDown(a: Fraction): number {
  let near = toNumber(a); // a few floats away at most
  while (isLess(a, exactly(near))) near = stepped(near, -1n);
  while (!isLess(a, exactly(nextUp(near)))) near = nextUp(near);
  return near;
}

/** The next float above one that isn't negative. */
export function nextUp(value: number): number {
  return stepped(value, 1n);
}

/** The float so many steps further: in order, they are numbered by their bits. */
function stepped(value: number, steps: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + steps);
  return view.getFloat64(0);
}

/** The power as one fraction. */
export function raised({ base, exponent }: Power): Fraction {
  const by = BigInt(exponent);
  return { top: base.top ** by, bottom: base.bottom ** by };
}

/** About the fraction, within 2^-53 of it: to show to people. */
export function toNumber(a: Fraction): number {
  // The first 64 bits of each are enough, and numbers of any size have them.
  const spare = (x: bigint): bigint => BigInt(Math.max(0, bitLength(x) - 64));
  const [up, down] = [spare(a.top), spare(a.bottom)];
  return (Number(a.top >> up) / Number(a.bottom >> down)) * 2 ** Number(up - down);
}

const BITS = 256n; // of a logarithm, after the point
const UNIT = 1n << BITS;
const SLACK = UNIT / 10n ** 50n + 1n; // far above the error of 256 bits, far below a float's step

/** The smallest float that is certainly not below ln of the ratio, which is at least 1. */
export function logUp({ base, exponent }: Power): number {
  if (base.top === base.bottom || exponent === 0) return 0;
  const doublings = bitLength(base.top) - bitLength(base.bottom);
  const shift = BigInt(Math.abs(doublings));
  const top = doublings < 0 ? base.top << shift : base.top;
  const bottom = doublings > 0 ? base.bottom << shift : base.bottom;
  const log = twiceArctanh(top - bottom, top + bottom) + BigInt(doublings) * LN2;
  return floatUp(log * BigInt(exponent) + SLACK);
}

/** 2 artanh(top / bottom) in units of 2^-256, which is ln((bottom + top) / (bottom − top)). */
function twiceArctanh(top: bigint, bottom: bigint): bigint {
  const z = (top * UNIT) / bottom;
  const square = (z * z) / UNIT;
  let sum = 0n;
  let term = z;
  for (let n = 1n; term !== 0n; n += 2n) {
    sum += term / n;
    term = (term * square) / UNIT;
  }
  return 2n * sum;
}

const LN2 = twiceArctanh(1n, 3n);

/** The smallest float not below a number in units of 2^-256. */
function floatUp(number: bigint): number {
  const spare = BigInt(Math.max(0, bitLength(number) - 53));
  const kept = -(-number >> spare); // rounded up
  return (Number(kept) * 2 ** Number(spare)) / Number(UNIT); // exact: powers of two only
}

function bitLength(number: bigint): number {
  return number.toString(2).length;
}
