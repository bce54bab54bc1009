// What happens to this page's jobs, as the server tells it: by a stream where there is room for one, else by asking.

const STREAMS = 4; // of all windows together: a browser gives one address six connections
const PAUSE = 120; // milliseconds from one question to the next while work is under way
const REST = 5000; // and while there is none

/** Listen to the events of an address: {ready()}. `isBusy()` tells whether work is under way; hear(event) and alive(yes or no) are told. */
export function events(address, { isBusy, hear, alive }) {
  let source = null;
  let release = () => {}; // gives the room of the stream back
  let opening = null;
  let asking = false;
  let wake = () => {};
  let last = 0;

  function take(number, data) {
    if (number > last) { // a stream that was opened anew tells everything again
      last = number;
      hear(JSON.parse(data));
    }
  }

  /** Be listening, so that nothing is missed of what is posted next. */
  function ready() {
    wake();
    opening ??= open().finally(() => { opening = null; });
    return opening;
  }

  async function open() {
    if (source !== null && source.readyState !== EventSource.CLOSED) return opened(source);
    close();
    const room = isHidden() ? null : await roomForStream();
    if (room === null) {
      askOn();
      return undefined;
    }
    release = room;
    source = new EventSource(address);
    source.onmessage = ({ lastEventId, data }) => take(Number(lastEventId), data);
    source.onopen = () => alive(true);
    source.onerror = () => alive(false);
    return opened(source);
  }

  function close() {
    source?.close();
    source = null;
    release();
    release = () => {};
  }

  async function askOn() {
    if (asking) return;
    asking = true;
    while (source === null && (isBusy() || !isHidden())) {
      alive(await askOnce());
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, isBusy() ? PAUSE : REST);
      });
    }
    asking = false;
  }

  async function askOnce() {
    try {
      const answer = await fetch(`${address}?once`, { headers: { "Last-Event-ID": String(last) } });
      for (const [, number, data] of (await answer.text()).matchAll(/^id: (\d+)\ndata: (.*)$/gm)) take(Number(number), data);
      return true;
    } catch {
      return false;
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (isHidden() && source !== null) {
      close();
      askOn();
    } else if (!isHidden()) {
      ready().catch(() => {}); // the notice says that the studio does not answer
    }
  });
  return { ready };
}

const isHidden = () => document.visibilityState === "hidden";

function opened(source) {
  if (source.readyState === EventSource.OPEN) return Promise.resolve();
  return new Promise((resolve, reject) => {
    source.addEventListener("open", () => resolve(), { once: true });
    source.addEventListener("error", () => reject(new Error("The studio does not answer.")), { once: true });
  });
}

/** Get the room of one stream, as a function that gives it back; null where other windows have all. */
async function roomForStream() {
  for (let number = 1; number <= STREAMS; number += 1) {
    const room = await new Promise((resolve) => {
      navigator.locks.request(`stream ${number}`, { ifAvailable: true }, (lock) => (lock ? new Promise((free) => resolve(free)) : resolve(null)));
    });
    if (room !== null) return room;
  }
  return null;
}
