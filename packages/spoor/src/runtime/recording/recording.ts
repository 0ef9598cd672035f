import { readHooks } from "../../options/config/configuration-files.ts";
import type { RunStart } from "../../run/observer.ts";
import { openChanges } from "../changes/open-changes.ts";
import { RunContents } from "../contents/run-contents.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import { type Recorded, Recorder, type RecorderOptions } from "../recorder/recorder.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import type { RecordingTarget } from "./target.ts";

/** Options for recording a run. */
export type RecordingOptions = Omit<RecorderOptions, "log" | "now" | "worker_id" | "renormalized_from_run_id">;

/**
 * Records one agent process into a log. Its `recorder` is the observer of the run, so that the run is durable before the
 * agent starts.
 *
 * @example
 * const recording = new Recording(await openTarget({ directory: "./runs" }));
 * const run = client.prepare({ agent: "claude", prompt: "hello" }).start(recording.recorder);
 * recording.started();
 * await run;
 * console.log((await recording.end()).run_ids);
 */
export class Recording {
  readonly recorder: Recorder;
  readonly #target: RecordingTarget;

  constructor(target: RecordingTarget, options: RecordingOptions = {}) {
    this.#target = target;
    const { directory, log } = target;
    const changes = (cwd: string) => (directory === undefined ? undefined : openChanges({ cwd, directory, log }));
    const kept = directory === undefined ? {} : { changes, contents: new RunContents(directory, log) };
    const { readLines } = target;
    const hooks = ({ configFolder: global, request: { cwd } }: RunStart) =>
      global === undefined ? undefined : openHooks({ hooks: readHooks({ global }), cwd, readLines });
    this.recorder = new Recorder({ hooks, ...kept, ...options, log });
  }

  /** The log that the run is recorded into. */
  get log(): RecorderLog {
    return this.#target.log;
  }

  /** Whether a server was found on the data directory. */
  get isServed(): boolean {
    return this.#target.isServed === true;
  }

  /** Reads what the log holds of a run after a sequence. */
  readLines: RecordingTarget["readLines"] = (run_id, after) => this.#target.readLines(run_id, after);

  /**
   * Maintains the log while the agent works. It starts when the run is durable and not at the end of the run, when somebody
   * waits.
   */
  started(): void {
    this.recorder
      .written()
      .then(() => this.#target.tidy())
      .catch(() => {});
  }

  /** Writes what is left and closes runs that did not end. */
  close(): Promise<Recorded> {
    return this.recorder.close();
  }

  /** Closes the target as well: nothing can be read any more. */
  async end(): Promise<Recorded> {
    const recorded = await this.close();
    await this.#target.close();
    return recorded;
  }
}
