import { LogError } from "../../log/errors.ts";
import type { Run } from "../../run/run.ts";
import type { PreparedRun } from "../../run/runner.ts";
import { artifactsOfRun } from "../../runtime/artifacts/find.ts";
import type { ArtifactRow } from "../../runtime/artifacts/record.ts";
import { executeAgentRun } from "../../runtime/execution/execute-agent-run.ts";
import type { ExecutionOptions } from "../../runtime/execution/execution.ts";
import { principalOf } from "../../runtime/execution/principal.ts";
import { HEADLESS_MS, INTERACTIVE_MS } from "../../runtime/projections/approval-request.ts";
import type { Recorded, Recorder, RecorderOptions } from "../../runtime/recorder/recorder.ts";
import { Recording } from "../../runtime/recording/recording.ts";
import { discardingTarget, openTarget } from "../../runtime/recording/target.ts";
import { ExitError } from "../exit-error.ts";
import { plural } from "../output/plural.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import type { RunFacts } from "../render/facts.ts";
import { createLockWaitAbort, type LockWaitAbort } from "./lock-wait-abort.ts";
import { type QuestionFacts, questionFactsOf } from "./question-facts.ts";
import type { RunCommandOptions } from "./run-command-options.ts";

type Options = Pick<
  RunCommandOptions,
  "data" | "task" | "tape" | "recordThinking" | "recordToolInput" | "maxRecorded" | "lockWait"
> &
  Pick<RecorderOptions, "awaited"> & {
    /** Whether a person at the terminal is asked. */
    isInteractive?: boolean;
    /** Called when the run has waited a while for another process that holds the log. */
    onLockWait?: () => void;
  };

/** The recording of `spoor run`: signals abort the wait for a locked log, and `end` returns a sentence for the user. */
export class CommandRecording {
  readonly readLines: Recording["readLines"];
  readonly #recording: Recording;
  /** Absent if nothing is stored. */
  readonly #lockWaitAbort: LockWaitAbort | undefined;
  #isClosing = false;

  /** Opens the data directory, through its server if one runs. */
  static async open(options: Options): Promise<CommandRecording> {
    const { data, lockWait, onLockWait } = options;
    const lockWaitAbort = createLockWaitAbort();
    try {
      const target = await openTarget({
        signal: lockWaitAbort.signal,
        ...(data !== undefined && { directory: data }),
        ...(lockWait !== undefined && { lockWaitMs: lockWait }),
        ...(onLockWait && { onLockWait }),
      });
      const approvals = { expiresInMs: options.isInteractive ? INTERACTIVE_MS : HEADLESS_MS };
      const recording = new Recording(target, { ...optionsOf(options), executor: "cli", approvals });
      return new CommandRecording(recording, lockWaitAbort);
    } catch (error) {
      lockWaitAbort.release();
      if (!(error instanceof LogError)) throw error;
      throw new ExitError(1, `${terminalSafe(error.message)} ${error.hint} --no-record runs without recording.`);
    }
  }

  /** Makes the envelopes that would be recorded, and stores none of them. `readers` is how many read them. */
  static async discarding(options: Options, readers: number): Promise<CommandRecording> {
    const unlimited = { record_tape: false, max_recorded_bytes: Number.POSITIVE_INFINITY };
    const target = await discardingTarget(readers);
    return new CommandRecording(new Recording(target, { ...optionsOf(options), ...unlimited }));
  }

  private constructor(recording: Recording, lockWaitAbort?: LockWaitAbort) {
    this.#recording = recording;
    this.#lockWaitAbort = lockWaitAbort;
    this.readLines = recording.readLines;
  }

  /** Whether a server records the run, so that people can answer through it. */
  get hasServer(): boolean {
    return this.#recording.isServed;
  }

  /** What the log knows of a question: the rule that asks, and until when. */
  async questionFacts(approval_id: string): Promise<QuestionFacts | undefined> {
    return questionFactsOf(this.#recording.log.rows, approval_id);
  }

  /** Everything that the run changed, also by commands, which the agent says nothing of. Undefined if it is not known. */
  async changes(run_id: string): Promise<RunFacts["changed"]> {
    if (!this.#lockWaitAbort || this.recorder.failure) return undefined;
    const artifacts = await artifactsOfRun(this.#recording.log, run_id).catch(() => []);
    const patches = artifacts.filter(({ kind, attribution }) => kind === "patch" && attribution !== "outside");
    const files = Map.groupBy(patches, ({ path }) => path ?? "");
    if (files.size === 0) return undefined;
    const counted = [...files.values()].map(countsOf);
    const sum = (name: "additions" | "deletions") => counted.reduce((total, counts) => total + counts[name], 0);
    return { files: files.size, additions: sum("additions"), deletions: sum("deletions") };
  }

  get recorder(): Recorder {
    return this.#recording.recorder;
  }

  /** Starts the run. What happens if it cannot be recorded is decided by `onFailure`. */
  execute(prepared: PreparedRun, options: Pick<ExecutionOptions, "onFailure" | "onDecided" | "onTold" | "rules">): Run {
    const recording = { recorder: this.recorder, started: () => this.started() };
    return executeAgentRun(prepared, {
      ...options,
      recording,
      by: principalOf("cli"),
      ifUnrecorded: "continue",
      // A run that is not stored has no other door.
      ...(this.#lockWaitAbort && { log: this.#recording.log }),
    });
  }

  started(): void {
    this.#recording.started();
    this.recorder
      .written()
      .then(() => {
        if (!this.#isClosing) this.#lockWaitAbort?.running(true);
      })
      .catch(() => {});
  }

  /** Returns what to wait for before the run continues (backpressure): a slow disk slows the agent. */
  drained(): Promise<void> | undefined {
    return this.recorder.drained();
  }

  /** Writes the remaining events. */
  close(): Promise<Recorded> {
    this.#isClosing = true;
    this.#lockWaitAbort?.running(false);
    return this.#recording.close();
  }

  /** Closes the log. Returns a sentence with the ids of the recorded runs, or the reason why not all was recorded. */
  async end(): Promise<string | undefined> {
    await this.close();
    const { run_ids, failure } = await this.#recording.end();
    if (!this.#lockWaitAbort) return undefined;
    this.#lockWaitAbort.release();
    if (!failure) return `Recorded as ${named(run_ids)}.`;
    const { message } = failure.cause as Error;
    return `The run was not recorded completely: ${terminalSafe(message)} ${failure.hint}`.trimEnd();
  }
}

function optionsOf({ task, tape, recordThinking, recordToolInput, maxRecorded, awaited }: Options) {
  return {
    ...(awaited && { awaited }),
    ...(task !== undefined && { task_id: task }),
    ...(!tape && { record_tape: false }),
    ...(recordThinking && { record_thinking: true }),
    ...(recordToolInput && { record_tool_input: true }),
    ...(maxRecorded !== undefined && { max_recorded_bytes: maxRecorded }),
  };
}

/** Names the run itself first, then those of its subagents and those that followed in the same process. */
function named([first = "nothing", ...further]: readonly string[]): string {
  if (further.length === 0) return first;
  const shown = further.slice(0, MOST_NAMED).join(", ");
  return `${first} and ${plural(further.length, "further run")}: ${shown}${further.length > MOST_NAMED ? " and more" : ""}`;
}

const MOST_NAMED = 10;

/** What the patches of a file come to. A file that the run made counts the lines it has, like the row of the run. */
function countsOf(patches: readonly ArtifactRow[]): { additions: number; deletions: number } {
  const sum = (name: "additions" | "deletions") => patches.reduce((total, patch) => total + (patch[name] ?? 0), 0);
  const [additions, deletions] = [sum("additions"), sum("deletions")];
  const isNew = patches[0]?.before_existed === 0;
  return isNew ? { additions: Math.max(0, additions - deletions), deletions: 0 } : { additions, deletions };
}
