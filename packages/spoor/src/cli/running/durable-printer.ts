import type { AgentEvent } from "@spoor/protocol";
import type { Written } from "../../runtime/recorder/outbox.ts";
import type { StoredLines } from "../../runtime/recorder/stored-lines.ts";

/** Prints a run. Events of a recorded run are printed only when they are durable, so that everything on the screen is in the log. */
export interface Printer {
  /** Takes the next event of the run. */
  event(event: AgentEvent): void;
  /** Call it when the recorder has made events durable. */
  written(written: Written): void;
  /** Resolves when everything durable has been written to the stream. */
  done(): Promise<void>;
  /** Returns what to wait for before the next event (backpressure); undefined if there is nothing to wait for. */
  drained(): Promise<void> | undefined;
}

/** Prints each event when it and all events before it are durable, or at once if the run is not recorded. */
export function createEventPrinter(print: (event: AgentEvent) => void, isRecorded: boolean): Printer {
  const waiting: AgentEvent[] = [];
  let left = 0;
  let printed = 0;
  let durable = isRecorded ? 0 : Number.POSITIVE_INFINITY;
  // The recorder may be ahead of the loop over the events, or behind it.
  const printDue = () => {
    while (printed < durable && left < waiting.length) {
      print(waiting[left++] as AgentEvent);
      printed += 1;
    }
    if (left === waiting.length) {
      waiting.length = 0;
      left = 0;
    }
  };
  return {
    event(event) {
      waiting.push(event);
      printDue();
    },
    written({ reached }) {
      durable = reached;
      printDue();
    },
    done: async () => {},
    drained: () => undefined,
  };
}

/** The run waits when more batches than this have not been read from the log yet. */
const MOST_WAITING = 8;

/** Prints the stored envelopes of the run and of its subagents. */
export function createEnvelopePrinter(
  print: (text: string) => void,
  read: (run_id: string, after: number) => Promise<StoredLines>,
): Printer {
  const printed = new Map<string, number>();
  let waiting = 0;
  let last = Promise.resolve();

  async function printRun(run_id: string, upTo: number): Promise<void> {
    for (let after = printed.get(run_id) ?? -1; after < upTo; ) {
      const { text, next } = await read(run_id, after);
      print(text);
      if (next <= after) return;
      after = next;
      printed.set(run_id, next);
    }
  }

  return {
    event() {},
    written({ receipts }) {
      waiting += 1;
      last = last.then(async () => {
        for (const { run_id, last_sequence } of receipts) await printRun(run_id, last_sequence);
        waiting -= 1;
      });
      // `done` rejects with the error; here it must only not count as unhandled.
      last.catch(() => {});
    },
    done: () => last,
    drained: () => (waiting > MOST_WAITING ? last : undefined),
  };
}
