export const name = "design";
export const title = "Design";
export const lead = "Say how private a count must be and what its noise must keep. The best mechanism is found and proved, in whole numbers, as you drag.";

export function build(root) {
  root.append();
}
