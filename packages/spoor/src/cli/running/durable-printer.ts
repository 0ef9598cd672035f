import type { AgentEvent } from "@spoor/protocol";
import type { Written } from "../../runtime/recorder/outbox.ts";
import type { StoredLines } from "../../runtime/recorder/stored-lines.ts";

/** Prints a run. What is recorded is printed once it is durable, so that whatever somebody has seen survives. */
export interface Printer {
  /** The next event of the run. */
  event(event: AgentEvent): void;
  /** What the recorder tells: this much is durable. */
  written(written: Written): void;
  /** Resolves when all that is durable was given to the stream. */
  done(): Promise<void>;
  /** What to wait for before more comes; undefined is nothing. */
  room(): Promise<void> | undefined;
}

/** Prints events one by one: each when it and all before it are durable, or at once where nothing is recorded. */
export function createEventPrinter(print: (event: AgentEvent) => void, isRecorded: boolean): Printer {
  const waiting: AgentEvent[] = [];
  let left = 0;
  let printed = 0;
  let durable = isRecorded ? 0 : Number.POSITIVE_INFINITY;
  // Whoever iterates the run may be behind its recorder, or before it.
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
    room: () => undefined,
  };
}

/** Batches that may wait to be read from the log before the run goes on. */
const MOST_WAITING = 8;

/** Prints the envelopes of all the run's runs, as they are stored. */
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
      // Whoever waits for it is told.
      last.catch(() => {});
    },
    done: () => last,
    room: () => (waiting > MOST_WAITING ? last : undefined),
  };
}
