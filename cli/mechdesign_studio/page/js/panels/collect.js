export const name = "collect";
export const title = "Collect";
export const lead = "Randomise a file of answers as each person would, or turn a file of reports into estimates.";

export function build(root) {
  root.append();
}
