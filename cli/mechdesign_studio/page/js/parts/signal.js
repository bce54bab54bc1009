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
 * Make a value of what stands in the fields of an element, as text, which is set whenever any of them is changed: by a person, or by `set` of a
 * field. What stands aside (class "aside") asks for nothing. look() reads it now: who hears of a change before the element does asks so.
 */
export function standing(element) {
  const held = signal();
  held.look = () => {
    const of = ({ type, checked, value, dataset }) => (["checkbox", "radio"].includes(type) ? checked : dataset.upload ?? value);
    const text = JSON.stringify([...element.querySelectorAll(":is(input, select, textarea):not(.aside *)")].map(of));
    if (text !== held.value) held.set(text);
    return text;
  };
  for (const kind of ["input", "change", "set"]) element.addEventListener(kind, held.look);
  held.look();
  return held;
}

/**
 * What one panel hands to another: queries to design for, as {values (of the fields of `workloadQuestion`), epsilon}; a design to
 * collect with, as a File; an oracle that was chosen, as {kind ("items", "ranges" or "tables"), oracle, epsilon}.
 */
export const handed = { queries: signal(), design: signal(), oracle: signal() };
