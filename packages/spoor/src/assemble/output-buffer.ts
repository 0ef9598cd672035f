import type { Signal } from "../agents/signal.ts";

const order: Partial<Record<Signal["kind"], number>> = {
  thinking: 0,
  thinkingDone: 0,
  text: 1,
  textDone: 1,
  toolStart: 2,
  toolInput: 2,
  toolReady: 2,
  shell: 2,
};

const nothing: Signal[] = [];

/**
 * Without streaming, holds the output of one model call until it is complete and returns it in the order thinking, text,
 * tools. Every other signal flushes the buffer, so that questions never wait.
 */
export function createOutputBuffer(): { hold(signal: Signal): boolean; flush(): Signal[] } {
  let held: Signal[] = [];
  return {
    hold(signal) {
      if (order[signal.kind] === undefined) return false;
      held.push(signal);
      return true;
    },
    flush() {
      if (held.length === 0) return nothing;
      const flushed = held.toSorted((a, b) => (order[a.kind] ?? 0) - (order[b.kind] ?? 0));
      held = [];
      return flushed;
    },
  };
}
