// The levels of a local design, from its document: how often each is drawn, and the blocks or cells of its first shift.

const MOST_DRAWN = 560; // items that are drawn; of more, as many that are evenly spread

/** Return {bits (a letter for each item that is drawn: 1 and 0 change from block to block), share, name} for each level. */
export function levelBands({ levels, places, problem: { k } }) {
  const total = levels.reduce((sum, { weight }) => sum + Number(weight), 0);
  const drawn = Math.min(k, MOST_DRAWN);
  return levels.map((level) => {
    const isHeld = heldBy(level, places, k);
    const bits = Array.from({ length: drawn }, (_, at) => isHeld(Math.floor(((at + 0.5) * k) / drawn)) ? "1" : "0").join("");
    return { bits, share: Number(level.weight) / total, name: nameOf(level, places) };
  });
}

function nameOf({ length, row, blocks }, places) {
  if (row) return `cells of ${(places / row.length).toLocaleString("en")}: ${row}`;
  return length ? `blocks of ${length.toLocaleString("en")}` : `${blocks.toLocaleString("en")} blocks, longer at the ends`;
}

// FORMAT.md has the rules: "Blocks", "Cells" and "Lines".
function heldBy({ length, row, blocks, shifts, densities }, places, k) {
  if (row) return (item) => row[Math.floor((item * row.length) / places)] === "1";
  if (length) return (item) => Math.floor(item / length) % 2 === 0;
  const starts = stretches(k);
  const before = [0];
  starts.forEach((start, at) => before.push(before[at] + 2 * densities[at] * ((starts[at + 1] ?? k) - start)));
  return (item) => {
    const at = starts.findLastIndex((start) => start <= item);
    const place = before[at] + densities[at] * (2 * (item - starts[at]) + 1);
    return Math.floor((blocks * place) / before.at(-1) + 1 / (2 * shifts)) % 2 === 0;
  };
}

// Where stretches of items with one density begin: a fifth longer each towards the middle, and mirrored.
function stretches(k) {
  const early = [];
  for (let x = 0; x < k / 2; x += 1 + Math.floor(x / 5)) early.push(x);
  return [...early, ...early.map((x) => k - x).filter((x) => x < k && x > early.at(-1)).reverse()];
}
