// Make elements. Nothing here knows the studio.

const SVG = "http://www.w3.org/2000/svg";
let made = 0;

/**
 * Make an HTML element: h("p.hint", {id: "x"}, "text", element, part, [more]); what stands after a point is a class.
 * Attributes may be left out: text or number; true is an empty attribute; false, null and undefined are left out; a function under
 * "onclick" listens to "click"; `style` is an object of properties. Children that are null or false are left out; a part is an
 * object with an `element`.
 */
export function h(tag, ...rest) {
  return make((name) => document.createElement(name), tag, rest);
}

/** Make an SVG element, as `h` makes one of HTML. */
export function svg(tag, ...rest) {
  return make((name) => document.createElementNS(SVG, name), tag, rest);
}

/** Set attributes of an element as `h` does; false, null and undefined remove one. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (name === "style") {
      for (const [property, text] of Object.entries(value)) {
        element.style.setProperty(property, text);
      }
    } else if (value === false || value === null || value === undefined) {
      element.removeAttribute(name);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  return element;
}

/** Replace what an element holds. */
export function put(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/** Have parts seen, or hidden. */
export function seen(yes, ...parts) {
  for (const { element } of parts) element.hidden = !yes;
}

/** Have a field in sight, with the focus. */
export function bring(field) {
  field.scrollIntoView({ block: "center" });
  field.focus({ preventScroll: true });
}

/** Return an id that no element of the page has. */
export function newId(stem = "e") {
  made += 1;
  return `${stem}-${made}`;
}

function make(create, tag, [first, ...others]) {
  const [name, ...classes] = tag.split(".");
  const element = create(name);
  const hasAttributes = first?.constructor === Object && !("element" in first);
  if (name === "button") element.type = name; // it submits nothing
  if (classes.length) element.setAttribute("class", classes.join(" "));
  if (hasAttributes) set(element, first);
  element.append(...nodes(hasAttributes ? others : [first, ...others]));
  return element;
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false).map((child) => child.element ?? child);
}
