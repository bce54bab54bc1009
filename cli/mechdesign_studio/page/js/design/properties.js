// Switches for the properties that a mechanism must have. What follows from others, and what clashes, the engine says.

import { h, put } from "../dom.js";
import { switchField, textField } from "../parts/fields.js";

/**
 * Build the switches: {element, show(props), tell({implied, clash})}.
 *
 * `known` are the properties of /api/choices, `families` those with a parameter; onCommit(props) is called with the
 * text of --props when a switch or a parameter is changed.
 */
export function propertySwitches({ known, families, onCommit }) {
  const list = h("div", { class: "property-list" });
  const rows = [...known, ...families.filter((one) => !known.some((other) => other.name === one.name))].map(row);
  const element = h(
    "fieldset", { class: "group properties" }, h("legend", {}, "Properties that it must have"),
    h("p", { class: "hint" }, "P[i,j] is the probability of output i for input j. What follows from others is on and greyed out."), list,
  );
  put(list, rows.map((one) => one.element));
  let asked = new Map(); // kind -> parameter, "" for none

  function row(property) {
    const family = families.find((one) => one.name === property.name);
    const toggle = switchField({ label: `${property.name} · ${property.title}`, help: property.definition, onCommit: commit });
    const beta = family && textField({
      label: `β of ${property.name}`, value: family.plain ?? "", help: betaHelp(family), onCommit: commit,
      attributes: { inputmode: "decimal", size: 8 },
    });
    const holder = h("div", { class: "property" }, toggle.element, beta ? h("div", { class: "beta" }, beta.element) : null);
    return { name: property.name, title: property.title, plain: family?.plain ?? null, toggle, beta, element: holder, implied: false };
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
      if (one.beta) one.beta.element.hidden = !asked.has(one.name);
    }
  }

  // `implied`: {"CH": ["CM"]}, by the full names; `clash`: names that no mechanism has together.
  function tell({ implied = {}, clash = [] }) {
    for (const one of rows) {
      const full = [...Object.keys(implied)].find((name) => name === one.name || (name.startsWith(`${one.name}:`) && asked.has(one.name)));
      one.implied = full !== undefined && !(asked.has(one.name) && !(fullName(one) in implied));
      one.toggle.set(one.implied || asked.has(one.name));
      one.toggle.enable(!one.implied, one.implied ? `follows from ${implied[full].join(" and ")}` : undefined);
      const inClash = clash.includes(fullName(one));
      const others = clash.filter((name) => name !== fullName(one));
      one.toggle.complain(inClash ? (others.length ? `clashes with ${others.join(" and ")}` : "no mechanism so private has it") : "");
      if (one.implied) one.toggle.enable(false, `follows from ${implied[full].join(" and ")}`);
    }
  }

  function fullName(one) {
    const beta = asked.get(one.name);
    return beta ? `${one.name}:${beta}` : one.name;
  }

  return { element, show, tell };
}

function betaHelp({ largest }) {
  return largest ? `Above 0, at most ${largest}: 0.9 or 9/10.` : "Any number above 0: 1.2 or 6/5.";
}
