// Write shares and other numbers as people read them.

/** A share of the users, as per cent with two decimals: "12.34 %". */
export function shareText(share) {
  return isNumber(share) ? `${fixed(100 * share, 2)} %` : "unknown";
}

/** An interval of shares: "10.1 to 14.2 %". */
export function intervalText(low, high) {
  return isNumber(low) && isNumber(high) ? `${fixed(100 * low, 2)} to ${fixed(100 * high, 2)} %` : "unknown";
}

/** A number with so many significant digits, never in powers of ten between 0.0001 and a million. */
export function digits(value, count = 4) {
  if (!isNumber(value)) return "unknown";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential(count - 1) : String(Number(value.toPrecision(count)));
}

/** A number that was typed, with its zero: "0.5" of ".5". */
export function written(text) {
  return text.trim().replace(/^\./, "0.");
}

/** A whole number with commas: "1,234,567". */
export function whole(value) {
  return Math.round(value).toLocaleString("en");
}

/** A number of bytes or bits as it is said: "3 bits", "1 bit". */
export function counted(value, word) {
  return `${whole(value)} ${word}${Math.round(value) === 1 ? "" : "s"}`;
}

/** Epsilon with at most four digits, as it is spent: rounded up, never down. */
export function epsilonText(epsilon) {
  return String(Number((Math.ceil(epsilon * 1e4 - 1e-3) / 1e4).toFixed(4)));
}

/** Whether a value of a document is a number: JSON has none for what is not known. */
export function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

function fixed(value, decimals) {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? (0).toFixed(decimals) : text; // no minus zero
}
