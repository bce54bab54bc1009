export const name = "check";
export const title = "Check";
export const lead = "Drop the matrix of any tool: its privacy, its column sums and its properties are judged exactly, and a matrix that fails can be repaired.";

export function build(root) {
  root.append();
}
