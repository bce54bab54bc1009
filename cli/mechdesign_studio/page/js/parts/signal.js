// Values that others hear of.

/** Make a value: {value, set(next), on(f)}. f(value) is called now, unless there is none (null), and whenever one is set. */
export function signal() {
  const listeners = [];
  const held = {
    value: null,
    set(next) {
      held.value = next;
      for (const f of listeners) f(next);
    },
    on(f) {
      listeners.push(f);
      if (held.value !== null) f(held.value);
    },
  };
  return held;
}

/**
 * What one panel hands to another: queries to design for, as {values (of the fields of `workloadQuestion`), epsilon}; a design to
 * collect with, as a File; an oracle that was chosen, as {kind ("items", "ranges" or "tables"), oracle, epsilon}.
 */
export const handed = { queries: signal(), design: signal(), oracle: signal() };
