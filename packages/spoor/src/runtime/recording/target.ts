import type { Log } from "../../log/log.ts";
import { dataDirectory, type OpenLogOptions, openLog } from "../../log/open.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import { type StoredLines, storedLines } from "../recorder/stored-lines.ts";
import { findSocket } from "../relay/socket-file.ts";

/** Where a run is recorded. */
export interface RecordingTarget {
  readonly log: RecorderLog;
  /** Whether a server does the work. */
  readonly isServed?: boolean;
  /** The data directory. Absent if nothing can be stored beside the log. */
  readonly directory?: string | undefined;
  /** Reads a run's stored envelopes after a sequence. */
  readLines(run_id: string, after: number): Promise<StoredLines>;
  /** Does the upkeep that a server would do. It does nothing where a server records. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Records into a log that the caller has opened and will close.
 *
 * @example
 * const recording = new Recording(targetOf(log));
 */
export const targetOf = (log: Log): RecordingTarget => ({
  log,
  directory: log.directory,
  readLines: storedLines(log),
  tidy: () => tidy(log),
  close: async () => {},
});

/**
 * Records into a data directory: through the server that runs on it, or into its log if no server answers.
 *
 * @example
 * const target = await openTarget({ directory: "./runs" });
 * const recorder = new Recorder({ log: target.log });
 * await client.run({ agent: "claude", prompt: "hello" }, recorder);
 * await recorder.close();
 * await target.close();
 */
export async function openTarget(options: OpenLogOptions): Promise<RecordingTarget> {
  const openLocal = () => openLog(options);
  const relayed = await openRelayed(options, openLocal);
  if (relayed) {
    return {
      log: relayed,
      isServed: true,
      directory: options.directory ?? dataDirectory(),
      readLines: (run_id, after) => relayed.readLines(run_id, after),
      tidy: async () => {},
      close: () => relayed.close(),
    };
  }
  const log = await openLocal();
  return { ...targetOf(log), close: () => log.close() };
}

/** Makes the envelopes that would be recorded, and stores none of them. `readers` is how many read them. */
export async function discardingTarget(readers = 1): Promise<RecordingTarget> {
  const { DiscardingLog } = await import("../recorder/discarding-log.ts");
  const log = new DiscardingLog(readers);
  return { log, readLines: (...place) => log.readLines(...place), tidy: async () => {}, close: () => log.close() };
}

/** Loads the relay only if there is a socket, because most often no server runs. */
async function openRelayed(options: OpenLogOptions, openLocal: () => Promise<Log>) {
  const { directory = dataDirectory(), lockWaitMs = Number.POSITIVE_INFINITY, signal } = options;
  if (findSocket(directory) === undefined) return undefined;
  const { MAX_SILENCE_MS, openRelayedLog } = await import("../relay/relayed-log.ts");
  // The server may be waiting for the write lock as well, and does not know how long this run is ready to wait.
  const silenceMs = Math.min(MAX_SILENCE_MS, Math.max(MIN_SILENCE_MS, lockWaitMs));
  return openRelayedLog({ directory, openLocal, silenceMs, ...(signal && { signal }) });
}

/** A working server always answers within this time. */
const MIN_SILENCE_MS = 1_000;

/** Merges the small chunks of the last runs, and closes runs whose process died. */
async function tidy(log: Log): Promise<void> {
  const { runs } = await log.runs({ limit: LAST_RUNS });
  for (const { run_id, ended_at } of runs) {
    if (ended_at !== undefined) await log.upkeep.merge({ run_id });
  }
  const { reconcile } = await import("../reconcile.ts");
  await reconcile(log);
}

/** A run and a few of its subagents. */
const LAST_RUNS = 5;
