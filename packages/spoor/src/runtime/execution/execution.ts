import type { AgentEvent } from "@spoor/protocol";
import type { WireLine } from "../../assemble/wire-line.ts";
import type { ObservedRun, RunObserver, RunStart, UserInput } from "../../run/observer.ts";
import type { Recorder } from "../recorder/recorder.ts";
import type { RecordingError } from "../recorder/recording-error.ts";
import type { Recording } from "../recording/recording.ts";

/** How a run is executed besides its own options. */
export interface ExecutionOptions {
  /** Where the run is recorded. */
  recording: Pick<Recording, "recorder" | "started">;
  /**
   * What happens if the run cannot be recorded: `stop` (the default) ends the run, `continue` continues it without recording.
   */
  ifUnrecorded?: "stop" | "continue";
  /** Called once if the run cannot be recorded to its end. */
  onFailure?(failure: RecordingError): void;
  /** Called when the run has ended, before its result resolves. */
  onEnd?(): Promise<unknown>;
}

/** Executes one run of an agent: joins the run with its recording. It is the observer of the run. */
export class Execution implements RunObserver {
  readonly #run: ObservedRun;
  readonly #options: ExecutionOptions;
  #isStarted = false;

  constructor(run: ObservedRun, options: ExecutionOptions) {
    this.#run = run;
    this.#options = options;
    this.#recorder.onFailure = (failure) => this.#onFailure(failure);
  }

  get #recorder(): Recorder {
    return this.#options.recording.recorder;
  }

  async onStart(start: RunStart): Promise<void> {
    const { recording, ifUnrecorded = "stop" } = this.#options;
    await this.#recorder.onStart(start);
    // Throwing the error keeps the agent from starting.
    if (this.#recorder.failure && ifUnrecorded === "stop") throw this.#recorder.failure;
    this.#isStarted = true;
    recording.started();
  }

  onUserInput(input: UserInput): void {
    this.#recorder.onUserInput(input);
  }

  onEvent(event: AgentEvent): void {
    this.#recorder.onEvent(event);
  }

  onLine(line: WireLine): void {
    this.#recorder.onLine(line);
  }

  drained(): Promise<void> | undefined {
    return this.#recorder.drained();
  }

  written(): Promise<void> {
    return this.#recorder.written();
  }

  async onEnd(): Promise<void> {
    await this.#options.onEnd?.();
  }

  #onFailure(failure: RecordingError): void {
    const { ifUnrecorded = "stop", onFailure } = this.#options;
    onFailure?.(failure);
    if (this.#isStarted && ifUnrecorded === "stop") this.#run.abort();
  }
}
