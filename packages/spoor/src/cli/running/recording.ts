import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import { Recorder } from "../../runtime/recorder/index.ts";
import { ExitError } from "../exit-error.ts";
import { visible } from "../visible.ts";
import type { RunCommandOptions } from "./options.ts";

/**
 * A run on its way into the log. The log is written where it lies: a server on the same data directory sees it at once,
 * and none is needed.
 */
export class Recording {
  readonly recorder: Recorder;
  readonly #log: Log;

  constructor({ data, task, tape, recordThinking, recordToolInput }: RunCommandOptions, now: () => number) {
    this.#log = open(data ?? dataDirectory());
    this.recorder = new Recorder({
      log: this.#log,
      now,
      ...(task !== undefined && { task_id: task }),
      ...(!tape && { record_tape: false }),
      ...(recordThinking && { record_thinking: true }),
      ...(recordToolInput && { record_tool_input: true }),
    });
    this.#tidy().catch(() => {});
  }

  /** What to wait for before the run goes on: a disk that is slow slows the agent. */
  room(): Promise<void> | undefined {
    return this.recorder.room();
  }

  /** Writes what is left. Gives the id the run goes by, or says why it is not all there. */
  async end(): Promise<string> {
    const { run_ids, failure } = await this.recorder.close();
    await this.#log.close();
    const [run_id = "nothing"] = run_ids;
    return failure ? `Not all of it was recorded: ${visible(failure.message)}` : `Recorded as ${run_id}.`;
  }

  /** Joins the many small pieces of what was recorded last, while the agent works: at the end of a run somebody waits. */
  async #tidy(): Promise<void> {
    const { runs } = await this.#log.runs({ limit: LAST_RUNS });
    for (const { run_id, ended_at } of runs) {
      if (ended_at !== undefined) await this.#log.upkeep.merge({ run_id });
    }
  }
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
