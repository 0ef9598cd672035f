import { CHAIN_START } from "../../log/chunks/chain.ts";
import { createComposer } from "../../log/chunks/compose.ts";
import { type RunRow, withFacts } from "../../log/chunks/run-row.ts";
import type { AppendReceipt, RunAppend } from "../../log/log.ts";
import { MemoryRows } from "../../log/memory-rows.ts";
import { createCommandWatch } from "../../log/watch-commands.ts";
import { checkGuard } from "../../log/work/check-guard.ts";
import type { RecorderLog } from "./recorder-log.ts";
import type { StoredLines } from "./stored-lines.ts";

/** A log that stores nothing. It turns drafts into the envelopes that a log would store, and drops them once they are read. */
export class DiscardingLog implements RecorderLog {
  readonly tapes = { append: async () => {} };
  readonly rows = new MemoryRows();
  /** Nobody else can take the run. */
  readonly queue = { extend: async () => true, release: async () => {} };
  readonly watchCommands = createCommandWatch(this.rows, this.rows.watch);
  readonly #compose = createComposer(Date.now);
  readonly #rows = new Map<string, RunRow>();
  readonly #lines = new Map<string, UnreadLines[]>();
  readonly #readers: number;

  /** `readers` is how many read the lines, each from its own place. */
  constructor(readers = 1) {
    this.#readers = readers;
  }

  async append(batch: readonly RunAppend[]): Promise<AppendReceipt[]> {
    for (const { run_id, when } of batch) {
      const row = this.#rows.get(run_id);
      if (when && row) checkGuard(row, when);
    }
    this.rows.apply(batch.flatMap(({ effects = [] }) => effects));
    return batch.map((append) => {
      const { run_id, drafts, facts = {} } = append;
      const before = withFacts(this.#rows.get(run_id) ?? newRow(append), facts);
      const { row, chunks } = this.#compose(before, drafts);
      this.#rows.set(run_id, row);
      const text = chunks.map(({ bytes }) => bytes.toString()).join("");
      const { epoch, last_sequence } = row;
      this.#lines.set(run_id, [...(this.#lines.get(run_id) ?? []), { text, last: last_sequence, reads: 0 }]);
      const first_sequence = last_sequence - drafts.length + 1;
      return { run_id, epoch, first_sequence, last_sequence, last_position: -1, repeated: false };
    });
  }

  async runs(): Promise<{ runs: []; more: false }> {
    return { runs: [], more: false };
  }

  /** Returns the lines after a sequence up to which the reader has read. They are dropped when all readers have read them. */
  async readLines(run_id: string, after: number): Promise<StoredLines> {
    const lines = this.#lines.get(run_id) ?? [];
    const unread = lines.filter(({ last }) => last > after);
    for (const each of unread) each.reads += 1;
    this.#lines.set(
      run_id,
      lines.filter(({ reads }) => reads < this.#readers),
    );
    const text = unread.map((each) => each.text).join("");
    return { text, next: this.#rows.get(run_id)?.last_sequence ?? -1, more: false };
  }

  async close(): Promise<void> {}
}

/** The lines of one append. */
interface UnreadLines {
  text: string;
  last: number;
  reads: number;
}

function newRow({ run_id, create, drafts }: RunAppend): RunRow {
  const { task_id = "", session_id = null, agent = "", kind = "" } = create ?? {};
  const created_at = drafts[0]?.timestamp ?? Date.now();
  const names = { run: 0, run_id, task_id, session_id, agent, kind, native_session_id: null };
  const place = { epoch: 1, last_sequence: -1, last_position: -1, last_event_id: "", head: CHAIN_START };
  return { ...names, ...place, status: "queued", bytes: 0, facts: "{}", crc: 0, created_at, updated_at: created_at };
}
