export const name = "release";
export const title = "Release";
export const lead = "From microdata or a table of counts to a protected table and its record. The noise is drawn once.";

export function build(root) {
  root.append();
}
