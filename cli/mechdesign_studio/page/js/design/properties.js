// Switches for the properties that a mechanism must have. What follows from others, and what clashes, the engine says.

import { h, put, set, switchField, textField } from "../kit.js";

/**
 * Build the switches: {element, show(props), tell(plan) (of solve --plan), relieve() (nothing clashes any more)}.
 *
 * `known` are the properties of /api/choices, `families` those with a parameter; onCommit(props) is called with the
 * text of --props when a switch or a parameter is changed.
 */
export function propertySwitches({ known, families, onCommit }) {
  const list = h("div.chips");
  const rows = [...known, ...families.filter((one) => !known.some((other) => other.name === one.name))].map(row);
  const element = h("fieldset.properties", h("legend", "Properties that it must have"), list);
  put(list, rows.map((one) => one.element));
  let asked = new Map(); // kind -> parameter, "" for none
  let told = null;

  function row(property) {
    const family = families.find((one) => one.name === property.name);
    const toggle = switchField({ label: property.name, help: property.title, onCommit: commit });
    set(toggle.element, { title: `${property.title}: ${property.definition}` });
    const beta = family && textField({
      label: "β", value: family.plain ?? "", onCommit: commit,
      attributes: { inputmode: "decimal", "aria-label": `β of ${property.name}`, title: betaHelp(family) },
    });
    const holder = h("div.chip", toggle, beta);
    return { name: property.name, plain: family?.plain ?? null, toggle, beta, element: holder, implied: false };
  }

  function commit() {
    const chosen = rows.filter((one) => (one.implied ? asked.has(one.name) : one.toggle.value));
    onCommit(chosen.map(nameOf).join(",") || "none");
  }

  function nameOf(one) {
    const beta = one.beta?.value.trim() || (one.beta && !one.plain ? "9/10" : one.plain);
    return one.beta && beta !== one.plain ? `${one.name}:${beta}` : one.name;
  }

  function show(props) {
    const names = props === "none" ? [] : props === "all" ? known.filter((one) => one.lattice).map((one) => one.name) : props.split(",");
    asked = new Map(names.map((name) => name.toUpperCase().split(":")).map(([kind, beta]) => [kind, beta ?? ""]));
    for (const one of rows) {
      if (!one.implied) one.toggle.set(asked.has(one.name));
      if (one.beta && asked.has(one.name)) one.beta.set(asked.get(one.name) || one.plain || "");
      if (one.beta) one.beta.element.hidden = one.implied || !asked.has(one.name);
    }
  }

  // `implied`: {"CH": ["CM"]}; `clash`: names that no mechanism has together; both by the names in `problem`, in which a
  // parameter is written as the engine writes it.
  function tell(plan) {
    told = plan;
    const { problem, implied, clash } = plan;
    for (const one of rows) {
      const own = problem.properties.find((name) => name.split(":")[0] === one.name);
      const causes = implied[own ?? one.name] ?? null;
      one.implied = causes !== null;
      one.toggle.set(one.implied || own !== undefined);
      if (one.beta) one.beta.element.hidden = one.implied || !asked.has(one.name);
      one.toggle.complain("");
      one.toggle.enable(!one.implied, one.implied ? `follows from ${causes.join(" and ")}` : undefined);
      if (clash.includes(own)) one.toggle.complain(clashText(clash.filter((name) => name !== own)));
    }
  }

  function relieve() {
    if (told?.clash.length) tell({ ...told, clash: [] });
  }

  return { element, show, tell, relieve };
}

function clashText(others) {
  return others.length ? `clashes with ${others.join(" and ")}` : "no mechanism at this alpha reaches it";
}

function betaHelp({ largest }) {
  return largest ? `Above 0, at most ${largest}: 0.9 or 9/10.` : "Any number above 0: 1.2 or 6/5.";
}
