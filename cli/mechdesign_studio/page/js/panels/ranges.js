export const name = "ranges";
export const title = "Ranges";
export const lead = "Ages, incomes, hours: a simulated local collection of one ordered column, with its distribution function, quantiles and ranges.";

export function build(root) {
  root.append();
}
