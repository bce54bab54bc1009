// Exact numbers: whole numbers of any length as decimal texts, fractions of them, and their nearest decimals.

const LEADING = 16; // digits that a number of JavaScript holds

/** Return weight / denominator as a number, from decimal texts of any length (a number may overflow, this does not). */
export function ratio(weight, denominator) {
  const [top, topPower] = leading(weight);
  const [bottom, bottomPower] = leading(denominator);
  const power = topPower - bottomPower;
  return power < -300 ? (top / bottom) * 1e-300 * 10 ** (power + 300) : (top / bottom) * 10 ** power;
}

function leading(text) {
  return text.length <= LEADING ? [Number(text), 0] : [Number(text.slice(0, LEADING)), text.length - LEADING];
}

/** Return the fraction of two decimal texts in lowest terms, as text: "3/8", "0", "1". */
export function fraction(weight, denominator) {
  const top = BigInt(weight);
  const bottom = BigInt(denominator);
  const common = gcd(top, bottom);
  return bottom === common ? String(top / common) : `${top / common}/${bottom / common}`;
}

function gcd(a, b) {
  let [x, y] = [a, b];
  while (y) [x, y] = [y, x % y];
  return x;
}

/** Write a probability in decimals: six places, or three digits and a power of ten where it is tiny. */
export function decimal(value) {
  if (value === 0) return "0";
  return Math.abs(value) >= 1e-4 ? trimmed(value.toFixed(6)) : value.toExponential(2);
}

/** Write a score in decimals: six digits, never below its value. */
export function sixDigits(value) {
  return Number.isFinite(value) && value > 0 ? roundedUp(value) : String(value);
}

/** Write a privacy loss or a gap with so many digits, never below its value. */
export function roundedUp(value, digits = 6) {
  const near = Number(value.toPrecision(digits));
  const step = 10 ** (Math.floor(Math.log10(value)) - digits + 1);
  return String(near >= value ? near : Number((near + step).toPrecision(digits)));
}

/** Write a lower bound with so many digits, never above its value. */
export function roundedDown(value, digits = 6) {
  const near = Number(value.toPrecision(digits));
  const step = 10 ** (Math.floor(Math.log10(value)) - digits + 1);
  return String(near <= value ? near : Number((near - step).toPrecision(digits)));
}

function trimmed(text) {
  return text.replace(/\.?0+$/, "");
}

/** Write an exact number for people: the fraction, or how long it is. `most` letters are written out. */
export function shortFraction(text, most = 48) {
  return text.length <= most ? text : `a fraction of ${text.replace("/", "").length} digits`;
}
