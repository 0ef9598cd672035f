import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import { Recorder } from "../../runtime/recorder/index.ts";
import type { RecorderLog } from "../../runtime/recorder/recorder-log.ts";
import { findSocket } from "../../runtime/relay/socket-file.ts";
import { counted } from "../counted.ts";
import { ExitError } from "../exit-error.ts";
import { visible } from "../visible.ts";
import type { RunCommandOptions } from "./options.ts";

type RecordingOptions = Pick<RunCommandOptions, "data" | "task" | "tape" | "recordThinking" | "recordToolInput">;

/** A run on its way into the log: through the server that runs on the same data directory, or where the log lies. */
export class Recording {
  readonly recorder: Recorder;
  readonly #log: RecorderLog & Pick<Log, "close">;

  static async open(options: RecordingOptions, now: () => number): Promise<Recording> {
    const directory = options.data ?? dataDirectory();
    const served = await servedLog(directory);
    if (served) return new Recording(served, options, now);
    const log = open(directory);
    tidy(log).catch(() => {});
    return new Recording(log, options, now);
  }

  private constructor(
    log: RecorderLog & Pick<Log, "close">,
    { task, tape, recordThinking, recordToolInput }: RecordingOptions,
    now: () => number,
  ) {
    this.#log = log;
    this.recorder = new Recorder({
      log,
      now,
      ...(task !== undefined && { task_id: task }),
      ...(!tape && { record_tape: false }),
      ...(recordThinking && { record_thinking: true }),
      ...(recordToolInput && { record_tool_input: true }),
    });
  }

  /** What to wait for before the run goes on: a disk that is slow slows the agent. */
  room(): Promise<void> | undefined {
    return this.recorder.room();
  }

  /** Writes what is left. Gives the ids it went by, or says why it is not all there. */
  async end(): Promise<string> {
    const { run_ids, failure } = await this.recorder.close();
    await this.#log.close();
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
async function servedLog(directory: string) {
  if (findSocket(directory) === undefined) return undefined;
  const { throughServer } = await import("../../runtime/relay/through-server.ts");
  return throughServer({ directory, openLocal: () => openLog({ directory }) });
}

/**
 * Joins the many small pieces of what was recorded last, and closes runs whose process died: no server does it. While the
 * agent works, for at the end of a run somebody waits.
 */
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

function open(directory: string): Log {
  try {
    return openLog({ directory });
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    const otherwise = "--no-record runs without recording.";
    throw new ExitError(1, `${visible(error.message)} ${error.hint} ${otherwise}`);
  }
}
