export const name = "prices";
export const title = "Price of properties";
export const lead = "What does each property cost? Every set of properties is designed once, and the lattice shows how far each one pushes the score up.";

export function build(root) {
  root.append();
}
