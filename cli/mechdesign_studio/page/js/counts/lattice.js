// The lattice of property sets as links: what is asked above, what implies it below, a line where one covers another.

import { h, put, svg } from "../dom.js";

const WIDTH = 112;
const HEIGHT = 46;
const ACROSS = 14;
const DOWN = 38;

/**
 * Build the lattice: {element, show({nodes, address, here})}.
 * A node is {asked, class, covers (positions of the sets just above it on screen), score, words}; `address(node)` is
 * where its link goes, `here` the position of the set that is designed now, or -1.
 */
export function lattice() {
  const element = h("div", { class: "lattice", role: "region", "aria-label": "Lattice of property sets", tabindex: "0" });
  return { element, show: (what) => put(element, picture(what)) };
}

function picture({ nodes, address, here }) {
  const rows = layers(nodes);
  const widest = Math.max(...rows.map((row) => row.length));
  const width = widest * (WIDTH + ACROSS);
  const height = rows.length * (HEIGHT + DOWN) - DOWN + 4;
  const top = Math.max(...nodes.map((node) => node.class));
  const at = new Map();
  rows.forEach((row, depth) => {
    const left = (width - row.length * (WIDTH + ACROSS) + ACROSS) / 2;
    row.forEach((number, place) => at.set(number, { x: left + place * (WIDTH + ACROSS), y: 2 + depth * (HEIGHT + DOWN) }));
  });
  const lines = nodes.flatMap((node, number) => node.covers.map((other) => edge(at.get(other), at.get(number))));
  const boxes = nodes.map((node, number) => box(node, at.get(number), top, address(node), number === here));
  // Drawn at its own size where there is room, a little smaller elsewhere; then it scrolls.
  return svg(
    "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Property sets, the freest first" },
    svg("g", { class: "lattice-lines", "aria-hidden": "true" }, lines), boxes,
  );
}

// The depth of a set is the longest way down to it; in a row, sets stand near the middle of those above them.
function layers(nodes) {
  const depth = [];
  const depthOf = (number) => {
    depth[number] ??= 1 + Math.max(-1, ...nodes[number].covers.map(depthOf));
    return depth[number];
  };
  const rows = [];
  nodes.forEach((_, number) => (rows[depthOf(number)] ??= []).push(number));
  const place = new Map();
  for (const row of rows) {
    const middle = (number) => {
      const above = nodes[number].covers.map((other) => place.get(other));
      return above.length ? above.reduce((a, b) => a + b, 0) / above.length : 0;
    };
    row.sort((a, b) => middle(a) - middle(b) || a - b);
    row.forEach((number, index) => place.set(number, (index + 0.5) / row.length));
  }
  return rows;
}

function edge(from, to) {
  return svg("line", { x1: from.x + WIDTH / 2, y1: from.y + HEIGHT, x2: to.x + WIDTH / 2, y2: to.y });
}

function box(node, { x, y }, top, href, isHere) {
  const share = top > 1 ? (node.class - 1) / (top - 1) : 0;
  const label = node.asked.join(",") || "none";
  const rect = svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 6, class: "lattice-box", style: { "--price": `${Math.round(share * 100)}%` } });
  return svg(
    "a", { href, class: isHere ? "lattice-node here" : "lattice-node", "aria-label": `${node.words}${isHere ? "; designed now" : ""}` },
    svg("title", {}, node.words), rect,
    svg("text", { x: x + WIDTH / 2, y: y + 19, "text-anchor": "middle", class: "lattice-name" }, label),
    svg("text", { x: x + WIDTH / 2, y: y + 36, "text-anchor": "middle", class: "lattice-score" }, `${node.class}: ${node.score}`),
  );
}
