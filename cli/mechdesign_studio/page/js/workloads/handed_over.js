// What one panel hands to another: queries to design for, and a design to collect with.

const topics = { queries: { last: null, listeners: [] }, design: { last: null, listeners: [] } };

/** Hand over: queries as {values (of the fields of `workloadQuestion`), epsilon}, a design as a File. */
export function handOver(topic, value) {
  topics[topic].last = value;
  for (const f of topics[topic].listeners) f(value);
}

/** Call f(value) now if something was handed over, and whenever something is. */
export function onHandOver(topic, f) {
  const { last, listeners } = topics[topic];
  listeners.push(f);
  if (last) f(last);
}
