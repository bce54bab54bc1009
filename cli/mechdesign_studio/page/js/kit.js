// What panels are built of, by one name.

export * from "./dom.js";
export * from "./parts/bars.js";
export * from "./parts/code.js";
export * from "./parts/colours.js";
export * from "./parts/distribution.js";
export * from "./parts/downloads.js";
export * from "./parts/error_field.js";
export * from "./parts/exact.js";
export * from "./parts/fields.js";
export * from "./parts/file_drop.js";
export * from "./parts/form.js";
export * from "./parts/heat_drawing.js";
export * from "./parts/heatmap.js";
export * from "./parts/json_text.js";
export * from "./parts/line_chart.js";
export * from "./parts/messages.js";
export * from "./parts/morph.js";
export * from "./parts/number_text.js";
export * from "./parts/plot.js";
export * from "./parts/runner.js";
export * from "./parts/sample.js";
export * from "./parts/signal.js";
export * from "./parts/small_chart.js";
export * from "./parts/table.js";
export * from "./parts/words.js";
