// Private reports for a task of mechdesign, made in a browser or in Node: of grr, ss, oue and calm, and with levels.mjs
// of blocks and warped-blocks. Numbers are BigInt, since denominators have no bound.
const system = globalThis.crypto ?? (await import("node:crypto")).webcrypto;
const systemBytes = (length) => system.getRandomValues(new Uint8Array(length));

/** Read the document of a task. Whole numbers become BigInt; those that JavaScript cannot read exactly are refused. */
export const parse = (text) => JSON.parse(text, (_, value) => {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new RangeError(`${value} is 2^53 or more`);
  return typeof value === "number" ? BigInt(value) : value;
});

/** Make the message of a user: `item` numbers the item from 0n; of several attributes it is an array of such numbers. */
export function message(task, item, read = systemBytes) {
  const stated = { ...task.parameters, ...task.constants };
  const sizes = (stated.domains?.split(",") ?? [stated.k]).map(BigInt), items = [item].flat();
  if (items.length !== sizes.length || !items.every((x, j) => typeof x === "bigint" && 0n <= x && x < sizes[j]))
    throw new RangeError("item must be a BigInt that numbers an item of the task, or an array of these");
  if (!Object.hasOwn(kinds, stated.oracle))
    throw new RangeError(`oracle must be one of ${Object.keys(kinds)}, got ${stated.oracle}`);
  return Uint8Array.from(kinds[stated.oracle]({ ...stated, sizes }, item, draws(read)));
}

export const sum = (numbers) => numbers.reduce((all, one) => all + one, 0n);
export const bytes = (value, length) => Array.from({ length }, (_, i) => Number(value >> BigInt(8 * i) & 255n));
export const number = (value, bound) => bytes(value, [1, 2, 4, 8].find((length) => bound <= 256n ** BigInt(length)));
const bits = (places, k) => bytes(sum(places.map((place) => 1n << place)), Number((k + 7n) / 8n));
const every = (k) => Array.from({ length: Number(k) }, (_, v) => BigInt(v));

function draws(read) {
  const below = (m) => { // uniform on 0..m-1: words from the last whole multiple of m on are thrown away
    let length = 0, values = 1n;
    for (; values < m; values *= 256n) length++;
    for (;;) {
      const word = read(length).reduceRight((found, byte) => 256n * found + BigInt(byte), 0n);
      if (word < values - values % m) return word % m;
    }
  };
  const chance = (text) => { const [a, b = 1n] = text.split("/").map(BigInt); return below(b) < a; };
  const choose = (weights) => { let u = below(sum(weights)); return weights.findIndex((weight) => (u -= weight) < 0n); };
  const except = (own, m) => { const u = below(m - 1n); return u < own ? u : u + 1n; };
  const subset = (size, k) => {
    const chosen = new Set();
    for (let t = k - size; t < k; t++) { const u = below(t + 1n); chosen.add(chosen.has(u) ? t : u); }
    return [...chosen];
  };
  return { below, chance, choose, except, subset };
}

/** By the names of systems: the bytes of a report, by what the task states, the item, and draws. */
export const kinds = {
  grr: (stated, x, draw) => number(draw.chance(stated.p) ? x : draw.except(x, stated.k), stated.k),

  ss({ k, size, p }, x, draw) {
    const own = draw.chance(p) ? [x] : [];
    const others = draw.subset(size - BigInt(own.length), k - 1n).map((u) => u < x ? u : u + 1n);
    return bits([...others, ...own], k);
  },

  oue: ({ k, p, q }, x, draw) => bits(every(k).filter((v) => draw.chance(v === x ? p : q)), k),

  calm({ sets, tables, sizes }, items, draw) {
    const cell = (set) => set.reduce((x, j) => x * sizes[j] + items[j], 0n);
    const cells = (set) => set.reduce((k, j) => k * sizes[j], 1n);
    return part(0, sets.map((set) => (
      { weight: 1n, stated: tables.find(({ k }) => k === cells(set)), x: () => cell(set) }
    )), draw);
  },
};

/** The report of one of several parts, which is drawn, in public, by their weights. They are numbered from `first`. */
export function part(first, parts, draw) {
  const i = draw.choose(parts.map(({ weight }) => weight)), { stated, x } = parts[i];
  const report = kinds[stated.oracle](stated, x(), draw);
  return [...number(BigInt(first + i), BigInt(first + parts.length)), ...bytes(BigInt(report.length), 4), ...report];
}
