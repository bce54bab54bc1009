// The lattice of property sets as links: what is asked above, what implies it below, a line where one covers another.

import { drawMiniature, h, put, set, svg } from "../kit.js";

const [WIDEST, NARROWEST, HEIGHT, ACROSS, DOWN] = [112, 64, 44, 8, 22];
const LETTER = 7; // pixels of a letter of a name
const [TIP, REST] = [112, 100]; // pixels of the heat map of a node; milliseconds that a pointer stays before it is asked for

/**
 * Build the lattice: {element, show({nodes, address, here, look})}.
 * A node is {asked, class, price (a share of the largest), covers (positions of the sets just above it on screen), score, words};
 * `address(node)` is where its link goes, `here` the position of the set that is designed now, or -1, and `look(node, draw)` gives
 * draw() the matrix of a node, of which a small heat map is shown while it is pointed at or has the focus.
 */
export function lattice() {
  const room = h("div");
  const canvas = h("canvas");
  const tip = h("div.lattice-tip", { hidden: true, "aria-hidden": "true" }, canvas);
  const element = h("div.lattice", { role: "region", "aria-label": "Lattice of property sets", tabindex: "0" }, room, tip);
  let [what, width, looked, timer] = [null, 0, null, null];

  function draw() {
    if (what && width) put(room, picture(what, width, { over, out }));
  }

  function over(number, event) {
    const box = event.currentTarget.getBoundingClientRect();
    const outer = element.getBoundingClientRect();
    looked = number;
    clearTimeout(timer);
    timer = setTimeout(() => what.look(what.nodes[number], (matrix) => {
      if (looked !== number) return;
      tip.hidden = false;
      drawMiniature(canvas, matrix, TIP);
      const left = Math.min(box.left - outer.left, outer.width - TIP - 12);
      set(tip, { style: { left: `${Math.max(0, left)}px`, top: `${box.bottom - outer.top + 4}px` } });
    }), REST);
  }

  function out() {
    looked = null;
    clearTimeout(timer);
    tip.hidden = true;
  }

  new ResizeObserver(() => {
    if (room.clientWidth === width) return;
    width = room.clientWidth;
    draw();
  }).observe(room);
  return {
    element,
    show(next) {
      what = next;
      out();
      width ||= room.clientWidth;
      draw();
    },
  };
}

// As wide as there is room for; where a row has too many boxes for that, it takes several lines.
function picture({ nodes, address, here }, room, heard) {
  const rows = layers(nodes);
  const widest = Math.max(...rows.map((row) => row.length));
  const boxWidth = Math.max(NARROWEST, Math.min(WIDEST, Math.floor(room / widest) - ACROSS));
  const most = Math.max(1, Math.floor((room + ACROSS) / (boxWidth + ACROSS)));
  const lines = rows.flatMap((row) => Array.from({ length: Math.ceil(row.length / most) }, (_, k) => row.slice(k * most, (k + 1) * most)));
  const width = Math.min(most, widest) * (boxWidth + ACROSS) - ACROSS + 4;
  const height = lines.length * (HEIGHT + DOWN) - DOWN + 4;
  const at = new Map();
  lines.forEach((line, depth) => {
    const left = (width - line.length * (boxWidth + ACROSS) + ACROSS) / 2;
    line.forEach((number, place) => at.set(number, { x: left + place * (boxWidth + ACROSS), y: 2 + depth * (HEIGHT + DOWN), width: boxWidth }));
  });
  const edges = nodes.flatMap((node, number) => node.covers.map((other) => edge(at.get(other), at.get(number))));
  const boxes = nodes.map((node, number) => {
    const made = box(node, at.get(number), address(node), number === here);
    const onover = (event) => heard.over(number, event);
    return set(made, { onpointerenter: onover, onfocus: onover, onpointerleave: heard.out, onblur: heard.out });
  });
  return svg(
    "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Property sets, the freest first" },
    svg("g.lattice-lines", { "aria-hidden": "true" }, edges), boxes,
  );
}

// The depth of a set is the longest way down to it; in a row the cheapest stands first, then what is near those above it.
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
    row.sort((a, b) => nodes[a].price - nodes[b].price || middle(a) - middle(b) || a - b);
    row.forEach((number, index) => place.set(number, (index + 0.5) / row.length));
  }
  return rows;
}

function edge(from, to) {
  return svg("line", { x1: from.x + from.width / 2, y1: from.y + HEIGHT, x2: to.x + to.width / 2, y2: to.y });
}

function box(node, { x, y, width }, href, isHere) {
  const label = node.asked.join(",") || "none";
  const room = width - 6;
  const rect = svg("rect", { x, y, width, height: HEIGHT, rx: 6, class: "lattice-box", style: { "--price": `${Math.round(node.price * 100)}%` } });
  return svg(
    "a", { href, class: isHere ? "lattice-node here" : "lattice-node", "aria-label": `${node.words}${isHere ? "; designed now" : ""}` },
    rect,
    svg("text", { x: x + width / 2, y: y + 18, "text-anchor": "middle", class: "lattice-name", textLength: label.length * LETTER > room ? room : null, lengthAdjust: "spacingAndGlyphs" }, label),
    svg("text", { x: x + width / 2, y: y + 35, "text-anchor": "middle", class: "lattice-score" }, node.score),
  );
}
