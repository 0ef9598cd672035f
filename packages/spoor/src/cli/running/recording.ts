import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import { type Recorded, Recorder, type RecorderOptions } from "../../runtime/recorder/recorder.ts";
import type { RecorderLog } from "../../runtime/recorder/recorder-log.ts";
import { type StoredLines, storedLines } from "../../runtime/recorder/stored-lines.ts";
import { findSocket } from "../../runtime/relay/socket-file.ts";
import { counted } from "../counted.ts";
import { ExitError } from "../exit-error.ts";
import { visible } from "../visible.ts";
import { createGiveUp, type GiveUp } from "./give-up.ts";
import type { RunCommandOptions } from "./options.ts";

type RecordingOptions = Pick<
  RunCommandOptions,
  "data" | "task" | "tape" | "recordThinking" | "recordToolInput" | "maxRecorded" | "lockWait"
> &
  Pick<RecorderOptions, "awaited"> & {
    /** Told that another process holds the log, and that the run waits for it. */
    onLockWait?: () => void;
  };

/** A log to record to, and how to read back what it holds. */
interface Target {
  log: RecorderLog & Pick<Log, "close">;
  readLines(run_id: string, after: number): Promise<StoredLines>;
  /** Present where no server looks after the log. */
  tidy?(): Promise<void>;
  /** Present where the log may have to be waited for. */
  giveUp?: GiveUp;
}

/** A run on its way into the log: through the server that runs on the same data directory, or where the log lies. */
export class Recording {
  readonly recorder: Recorder;
  readonly readLines: Target["readLines"];
  readonly #target: Target;
  readonly #isKept: boolean;
  #isClosing = false;

  static async open(options: RecordingOptions): Promise<Recording> {
    const directory = options.data ?? dataDirectory();
    const giveUp = createGiveUp();
    const openLocal = () =>
      openLog({
        directory,
        signal: giveUp.signal,
        ...(options.lockWait !== undefined && { lockWaitMs: options.lockWait * 1000 }),
        ...(options.onLockWait && { onLockWait: options.onLockWait }),
      });
    try {
      const served = await servedLog(directory, openLocal, giveUp.signal, options.lockWait);
      if (served) {
        const readLines = (run_id: string, after: number) => served.readLines(run_id, after);
        return new Recording({ log: served, readLines, giveUp }, options, true);
      }
      const log = await openLocal();
      return new Recording({ log, readLines: storedLines(log), tidy: () => tidy(log), giveUp }, options, true);
    } catch (error) {
      giveUp.release();
      return refuse(error);
    }
  }

  /** Makes the envelopes that would be recorded, and keeps none of them. */
  static async passing(options: RecordingOptions): Promise<Recording> {
    const { PassingLog } = await import("../../runtime/recorder/passing-log.ts");
    const log = new PassingLog();
    const readLines = (run_id: string) => log.readLines(run_id);
    return new Recording({ log, readLines }, { ...options, tape: false }, false);
  }

  private constructor(target: Target, options: RecordingOptions, isKept: boolean) {
    const { task, tape, recordThinking, recordToolInput, maxRecorded, awaited } = options;
    this.#target = target;
    this.#isKept = isKept;
    this.readLines = target.readLines;
    this.recorder = new Recorder({
      log: target.log,
      ...(awaited && { awaited }),
      ...(task !== undefined && { task_id: task }),
      ...(!tape && { record_tape: false }),
      ...(recordThinking && { record_thinking: true }),
      ...(recordToolInput && { record_tool_input: true }),
      ...(maxRecorded !== undefined && { max_recorded_bytes: maxRecorded }),
      // What is kept nowhere fills no disk.
      ...(!isKept && { max_recorded_bytes: Number.POSITIVE_INFINITY }),
    });
  }

  /** Once the run is in the log, looks after the log while the agent works: at the end of a run somebody waits. */
  started(): void {
    const { giveUp, tidy } = this.#target;
    this.recorder
      .written()
      .then(() => {
        if (!this.#isClosing) giveUp?.running(true);
        return tidy?.();
      })
      .catch(() => {});
  }

  /** What to wait for before the run goes on: a disk that is slow slows the agent. */
  room(): Promise<void> | undefined {
    return this.recorder.room();
  }

  /** Writes what is left. */
  close(): Promise<Recorded> {
    this.#isClosing = true;
    this.#target.giveUp?.running(false);
    return this.recorder.close();
  }

  /** Nothing is read any more. Gives the ids it went by, or says why it is not all there. */
  async end(): Promise<string | undefined> {
    const { run_ids, failure } = await this.close();
    await this.#target.log.close();
    this.#target.giveUp?.release();
    if (!this.#isKept) return undefined;
    return failure ? `Not all of it was recorded: ${visible(failure.message)}` : `Recorded as ${named(run_ids)}.`;
  }
}

/** The run itself, and those of its subagents or of what followed in the same process. */
function named([first = "nothing", ...further]: readonly string[]): string {
  if (further.length === 0) return first;
  const shown = further.slice(0, MOST_NAMED).join(", ");
  return `${first} and ${counted(further.length, "further run")}: ${shown}${further.length > MOST_NAMED ? " and more" : ""}`;
}

const MOST_NAMED = 10;

/** Most often no server runs, and then nothing is loaded to find out. */
async function servedLog(directory: string, openLocal: () => Promise<Log>, signal: AbortSignal, lockWait?: number) {
  if (findSocket(directory) === undefined) return undefined;
  const { MAX_SILENCE_MS, openRelayedLog } = await import("../../runtime/relay/relayed-log.ts");
  // The server may be waiting for the log as well, and knows nothing of this run's --lock-wait.
  const silenceMs = Math.min(MAX_SILENCE_MS, Math.max(SHORTEST_SILENCE_MS, (lockWait ?? Infinity) * 1000));
  return openRelayedLog({ directory, openLocal, signal, silenceMs });
}

/** A server that works is busy for less than this. */
const SHORTEST_SILENCE_MS = 1_000;

/** Joins the many small pieces of what was recorded last, and closes runs whose process died: no server does it. */
async function tidy(log: Log): Promise<void> {
  const { runs } = await log.runs({ limit: LAST_RUNS });
  for (const { run_id, ended_at } of runs) {
    if (ended_at !== undefined) await log.upkeep.merge({ run_id });
  }
  const { reconcile } = await import("../../runtime/reconcile.ts");
  await reconcile(log);
}

/** A run and a few subagents of it. */
const LAST_RUNS = 5;

function refuse(error: unknown): never {
  if (!(error instanceof LogError)) throw error;
  const otherwise = "--no-record runs without recording.";
  throw new ExitError(1, `${visible(error.message)} ${error.hint} ${otherwise}`);
}
