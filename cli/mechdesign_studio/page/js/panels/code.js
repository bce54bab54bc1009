export const name = "code";
export const title = "Code";
export const lead = "Whatever you did here as command lines, as Python and as the document itself, to copy and to take away.";

export function build(root) {
  root.append();
}
