// Write JSON for people: objects in lines, a list of plain values on one line. And read files that may hold some.

/** Read a File as JSON; null where it holds none. */
export async function jsonOf(file) {
  try {
    return JSON.parse(await file.text());
  } catch {
    return null;
  }
}

/** Whether a value is the document of a design for a workload, of any version. */
export function isWorkloadDesign(value) {
  return String(value?.format).startsWith("mechdesign-workload/");
}

/** Whether a value is the document of a law, one mechanism for groups of every size. */
export function isLaw(value) {
  return value?.format === "mechdesign-design/3";
}

/** Write a value as JSON text with an end of line. */
export function documentText(value) {
  return `${written(value, "")}\n`;
}

function written(value, indent) {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return value.every((one) => one === null || typeof one !== "object")
      ? `[${value.map((one) => JSON.stringify(one)).join(", ")}]`
      : `[\n${value.map((one) => inner + written(one, inner)).join(",\n")}\n${indent}]`;
  }
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value);
    return entries.length === 0 ? "{}" : `{\n${entries.map(([key, one]) => `${inner}${JSON.stringify(key)}: ${written(one, inner)}`).join(",\n")}\n${indent}}`;
  }
  return JSON.stringify(value);
}
