// From one matrix to another of its size in small steps, or at once where motion is not wanted.

const MORPH = 150; // milliseconds

/** Whether somebody asked for no motion. */
export const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Return a function that draws a matrix by `draw`, with steps from what is on screen where `moves` is true. */
export function morphing(draw) {
  let [shown, waiting] = [null, 0];
  return (to, moves) => {
    cancelAnimationFrame(waiting);
    const from = shown;
    if (!moves || from?.size !== to.size || still()) {
      draw(shown = to);
      return;
    }
    const values = Array.from({ length: to.size }, (_, i) => Float64Array.from({ length: to.size }, (__, j) => from.value(i, j)));
    const began = performance.now();
    const step = (now) => {
      const share = Math.min(1, Math.max(0, (now - began) / MORPH));
      shown = share === 1 ? to : { ...to, value: (i, j) => (1 - share) * values[i][j] + share * to.value(i, j) };
      draw(shown);
      if (share < 1) waiting = requestAnimationFrame(step);
    };
    step(began);
  };
}
