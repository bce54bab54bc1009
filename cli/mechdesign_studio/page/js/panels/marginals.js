export const name = "marginals";
export const title = "Marginals";
export const lead = "Several columns at once: a simulated local collection of tuples, its tables, associations and dependence tree.";

export function build(root) {
  root.append();
}
