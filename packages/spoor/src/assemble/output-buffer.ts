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
 * Without streaming, what one model call puts out is held until it is complete, and told as thinking, then text, then
 * tools. Whatever is not the model's output ends the waiting, so that questions never wait.
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
