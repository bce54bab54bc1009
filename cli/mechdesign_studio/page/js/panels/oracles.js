export const name = "oracles";
export const title = "Local oracles";
export const lead = "Each person randomises their own answer before it leaves their hands. Compare every way to do so, best first.";

export function build(root) {
  root.append();
}
