// Reports of blocks and of warped-blocks, beside client.mjs.
import { kinds, number, part, sum } from "./client.mjs";

const gcd = (a, b) => b ? gcd(b, a % b) : a;
const parity = (word) => BigInt(word.toString(2).replaceAll("0", "").length % 2);

function drawnMasks(level, draw) { // all anew until they are linearly independent: then all their sums differ
  for (;;) {
    const masks = Array.from({ length: Number(level.masks) }, () => draw.below(1n << level.label_bits));
    const sums = masks.reduce((found, mask) => [...found, ...found.map((one) => one ^ mask)], [0n]);
    if (new Set(sums).size === sums.length) return masks;
  }
}

function masked(level, label, draw) { // a label of null: the report is about a wide cell that the user is not in
  const masks = drawnMasks(level, draw), all = 1n << level.masks, { below } = level;
  const own = label === null ? 0n : sum(masks.map((mask, i) => parity(mask & label) << BigInt(i)));
  const drawn = label === null ? draw.below(all)
    : draw.chance(level.held) ? draw.below(below) : below + draw.below(all - below);
  return [...masks.flatMap((mask) => number(mask, 1n << level.label_bits)), ...number(own ^ drawn, all)];
}

function blockOf(starts, { densities, shifts }, blocks, s, x) { // the block of an item in the partition at shift s
  if (!densities.length) return x;
  const before = (end) => sum(densities.map((density, i) => {
    const last = end < starts[i + 1] ? end : starts[i + 1];
    return last > starts[i] ? density * (last - starts[i]) : 0n;
  }));
  const total = 2n * before(starts.at(-1));
  return (2n * shifts * blocks * (before(x) + before(x + 1n)) + (2n * s + 1n) * total) / (2n * shifts * total);
}

function cellOf(starts, level, s, x) { // of nested masks: the label, counted from the first item of the wide cell
  const own = (item) => blockOf(starts, level, level.blocks, s, item);
  if (level.oracle !== "nested-masks") return own(x);
  const wide = (item) => blockOf(starts, { ...level.wide, shifts: level.shifts }, level.cells - 1n, s, item);
  let first = 0n;
  for (let high = x; first < high;) { // the first item whose wide cell is that of x, by halves
    const middle = (first + high) / 2n;
    if (wide(middle) < wide(x)) first = middle + 1n; else high = middle;
  }
  return (wide(x) << level.label_bits) + own(x) - own(first);
}

Object.assign(kinds, {
  blocks: ({ levels }, x, draw) =>
    part(1, levels.map((level) => ({ weight: level.weight, stated: level, x: () => x })), draw),

  "warped-blocks": ({ levels, starts }, x, draw) => part(1, levels.flatMap((level) => Array.from(
    { length: Number(level.shifts) },
    (_, s) => ({ weight: level.weight, stated: level, x: () => cellOf(starts, level, BigInt(s), x) }),
  )), draw),

  "masked-blocks"(level, x, draw) {
    const { k, pieces } = level, shifts = k / gcd(k, pieces), s = draw.below(shifts);
    return [...number(s, shifts), ...masked(level, (((x - s + k) % k + 1n) * pieces - 1n) / k, draw)];
  },

  "nested-masks"(level, x, draw) {
    const label = x & (1n << level.label_bits) - 1n, own = x >> level.label_bits;
    const named = draw.chance(level.named), cell = named ? own : draw.except(own, level.cells);
    return [...number(cell, level.cells), ...masked(level, named ? label : null, draw)];
  },

  "rotated-cells"({ k, ends, held }, x, draw) {
    const bounds = [0n, ...ends, k], isHeld = draw.chance(held);
    const runs = bounds.slice(1).map((end, i) => [bounds[i], end - bounds[i]]).filter((_, i) => (i % 2 === 1) === isHeld);
    let left = draw.below(sum(runs.map(([, places]) => places)));
    for (const [first, places] of runs) {
      if (left < places) return number((x - first - left + k) % k, k);
      left -= places;
    }
  },
});
