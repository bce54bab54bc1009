export const name = "data";
export const title = "Data";
export const lead = "What a mechanism does to real counts: exact expected errors, simulated releases, and the totals that can be estimated from them.";

export function build(root) {
  root.append();
}
