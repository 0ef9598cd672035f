import type { Log, Receipt, RunAppend, TapeLine } from "../../log/log.ts";
import type { RunQuery } from "../../log/records.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import { type StoredLines, storedLines } from "../recorder/stored-lines.ts";
import { type Connection, ConnectionLost, connect, type Patience } from "./connection.ts";
import { LocalContinuation } from "./local-continuation.ts";
import type { Request } from "./messages.ts";
import { findSocket } from "./socket-file.ts";

export interface ThroughServerOptions extends Partial<Patience> {
  directory: string;
  /** Opens the log in that directory, if the server should go away. */
  openLocal: () => Log | Promise<Log>;
  /** Nobody waits for the server any longer: what it has not answered is done in the log itself. */
  signal?: AbortSignal;
}

/** The log of a data directory by way of the server that runs on it; undefined when none answers. */
export async function throughServer({
  directory,
  openLocal,
  helloMs = 3_000,
  silenceMs = LONGEST_SILENCE_MS,
  signal,
}: ThroughServerOptions): Promise<ServedLog | undefined> {
  const socket = findSocket(directory);
  const connection = socket === undefined ? undefined : await connect(socket, { helloMs, silenceMs });
  if (!connection) return undefined;
  if (signal?.aborted) connection.close();
  signal?.addEventListener("abort", () => connection.close(), { once: true });
  return new ServedLog(connection, new LocalContinuation(openLocal));
}

/** How long a server that is asked something may say nothing. */
export const LONGEST_SILENCE_MS = 30_000;

/**
 * A log for one producer, which writes to runs it created. When the server goes away it goes on in the log itself:
 * nothing is lost, nothing is there twice, and nobody has to know.
 */
export class ServedLog implements RecorderLog {
  readonly tapes: RecorderLog["tapes"];
  readonly #connection: Connection;
  readonly #local: LocalContinuation;
  /** By run: what the last receipt told, and how much of the tape is there. */
  readonly #runs = new Map<string, { epoch?: number; last_sequence: number; tapeLines: number }>();

  constructor(connection: Connection, local: LocalContinuation) {
    this.#connection = connection;
    this.#local = local;
    this.tapes = { append: (run_id, lines) => this.#appendTape(run_id, lines) };
  }

  async append(batch: readonly RunAppend[]): Promise<Receipt[]> {
    // As it is when this is sent: answers to what was sent before may be lost with it.
    const places = new Map(batch.map(({ run_id }) => [run_id, this.#run(run_id).last_sequence]));
    const receipts = await this.#ask<Receipt[]>({ do: "append", batch }, (wasSent) =>
      wasSent ? this.#local.appendInDoubt(batch, (run_id) => places.get(run_id) ?? -1) : this.#local.append(batch),
    );
    for (const { run_id, epoch, last_sequence } of receipts) {
      const run = this.#run(run_id);
      run.epoch = epoch;
      run.last_sequence = Math.max(run.last_sequence, last_sequence);
    }
    return receipts;
  }

  runs(query: RunQuery = {}): ReturnType<Log["runs"]> {
    return this.#ask({ do: "runs", query }, () => this.#local.do((log) => log.runs(query)));
  }

  /** A run's envelopes after a sequence, as they are stored. */
  readLines(run_id: string, after: number): Promise<StoredLines> {
    return this.#ask({ do: "read", run_id, after }, () => this.#local.do((log) => storedLines(log)(run_id, after)));
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#local.close();
  }

  async #appendTape(run_id: string, lines: readonly TapeLine[]): Promise<void> {
    const run = this.#run(run_id);
    const { epoch } = run;
    const request: Request = { do: "tape", run_id, lines, ...(epoch !== undefined && { epoch }) };
    await this.#ask(request, (wasSent) =>
      wasSent
        ? this.#local.appendTapeInDoubt(run_id, lines, { before: () => run.tapeLines, epoch })
        : this.#local.appendTape(run_id, lines),
    );
    run.tapeLines += lines.length;
  }

  async #ask<T>(request: Request, otherwise: (wasSent: boolean) => Promise<T>): Promise<T> {
    try {
      return (await this.#connection.ask(request)) as T;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return otherwise(error.wasSent);
    }
  }

  #run(run_id: string) {
    const run = this.#runs.get(run_id) ?? { last_sequence: -1, tapeLines: 0 };
    this.#runs.set(run_id, run);
    return run;
  }
}
