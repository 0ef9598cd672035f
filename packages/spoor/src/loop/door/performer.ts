import type { AgentEvent, Envelope, FailureCode } from "@spoor/protocol";
import { prefixed } from "@spoor/protocol/ids";
import { asErrorCode, isErrorCode } from "@spoor/protocol/write";
import type { Fact, TerminalType } from "../../agents/signal.ts";
import { createAssembler } from "../../assemble/assembler.ts";
import { SpoorError } from "../../failures/errors.ts";
import type { Log, Piece } from "../../log/log.ts";
import type { RunExecutor, StoredRun } from "../../log/records.ts";
import type { ObservedRun } from "../../run/observer.ts";
import type { OnPerformed, Performance } from "../../run/performance.ts";
import type { Performer, RunSetup } from "../../run/run-setup.ts";
import type { OfferedKind } from "../../runtime/queue/executor.ts";
import type { TaskSpec } from "../../runtime/specification/spec.ts";
import { TaskError } from "../../runtime/tasks/task-error.ts";
import { checkLoopModel } from "../check-model.ts";
import { LoopControl } from "./control.ts";
import { requireLoopOptions, specFromSetup } from "./spec-from-setup.ts";

/** A log that is open for a run of the loop. */
export interface OpenedLog {
  log: Log;
  directory: string;
  /** Called when the run is over. */
  release(): Promise<void>;
}

export interface PerformerOptions {
  /** Opens the log in which the run is stored. */
  open(): Promise<OpenedLog>;
  kind: OfferedKind;
  /** Who answers and starts, for the events. */
  by: string;
  /** What the log says about who performs the run. */
  name: RunExecutor;
  /** Receives the stored events of the run and of its subagents. Backpressure: the next ones wait for the promise. */
  onPiece?(piece: Piece): Promise<unknown> | undefined;
  /** Further fields of the task, which no option of a run sets. */
  task?: Partial<TaskSpec>;
  /** Called if the run could not be made. */
  onRefused?(error: Error): void;
}

/**
 * Gives runs of our loop the face of any other run. The run is stored in a log, this process performs it, and its events are
 * read from the log. So it does not matter who answers, stops or even performs it.
 */
export const createLoopPerformer = (options: PerformerOptions): Performer => ({
  check(setup) {
    requireLoopOptions(setup);
    const { model, resume, fork } = setup.request;
    // A conversation goes on with its model.
    if (model !== undefined || (resume ?? fork) === undefined)
      checkLoopModel(model, setup.environment as NodeJS.ProcessEnv);
    specFromSetup(setup, options.task);
  },
  perform(setup, run, on) {
    const performance = new LoopPerformance(options, setup, run, on);
    return { performance, observer: { decide: (question, answer, by) => performance.decide(question.id, answer, by) } };
  },
});

class LoopPerformance implements Performance {
  readonly canFollow = true;
  readonly followsAtOnce = true;
  readonly laterSessionId = undefined;
  readonly #options: PerformerOptions;
  readonly #setup: RunSetup;
  readonly #on: OnPerformed;
  readonly #control: LoopControl;
  readonly #stopping = new AbortController();
  #hasBegun = false;
  #pausing: Promise<unknown> = Promise.resolve();

  constructor(options: PerformerOptions, setup: RunSetup, run: ObservedRun, on: OnPerformed) {
    this.#options = options;
    this.#setup = setup;
    this.#on = on;
    this.#control = new LoopControl(prefixed("run", run.runId), options.by, (message) => this.warn(message));
  }

  async start(before: PromiseLike<unknown> | undefined): Promise<{ code: number | null; signal: string | null }> {
    let opened: OpenedLog | undefined;
    try {
      await before;
      opened = await this.#options.open();
      const isCompleted = await this.#perform(opened);
      return { code: isCompleted ? 0 : 1, signal: null };
    } catch (error) {
      this.#options.onRefused?.(error as Error);
      await this.#on({ kind: "events", events: this.#eventsOf(error as Error) });
      return { code: 1, signal: null };
    } finally {
      this.#control.end();
      this.#stopping.abort("shutdown");
      await opened?.release();
    }
  }

  async #perform(opened: OpenedLog): Promise<boolean> {
    const { kind, name, by, onPiece, task } = this.#options;
    const { log, directory } = opened;
    // Loaded with the first run: they need the queue, the policy and the whole catalog of events.
    const [{ makeLoopRun }, { followRun }, { performOwn }] = await Promise.all([
      import("./make-run.ts"),
      import("./follow-run.ts"),
      import("./perform-own.ts"),
    ]);
    const after = log.lastPosition;
    const run = await makeLoopRun({ log, directory, kinds: [kind], by }, this.#setup, task);
    this.#control.begin(log);
    const performed = performOwn({
      ...{ log, directory, name, run_id: run.run_id, executor: kind.executor },
      stopping: this.#stopping.signal,
    });
    // If this process cannot perform the run, perhaps nobody ever ends it.
    const failed = new AbortController();
    performed.catch(() => failed.abort());
    try {
      for await (const { piece, events, end } of followRun(log, { ...run, after, signal: failed.signal })) {
        await onPiece?.(piece);
        this.#hasBegun ||= events.some(({ type }) => type === "session_start");
        if (events.length > 0) await this.#on({ kind: "events", events });
        // A run that was refused or cancelled before it started has no session.
        if (end && !this.#hasBegun) await this.#on({ kind: "events", events: this.#wholeRun(unstartedEnd(end)) });
      }
    } catch (error) {
      this.#stopping.abort("shutdown");
      await performed.catch(() => {});
      throw error;
    }
    await performed;
    return ((await log.run(run.run_id)) as StoredRun).status === "completed";
  }

  decide = (...given: Parameters<LoopControl["decide"]>) => this.#control.decide(...given);

  /** Answers go through `decide`. A question of the loop has no other id. */
  nativeId = (interactionId: string): string => interactionId;

  answer(): void {}

  follow(prompt: string): void {
    void this.#control.tell("send", { text: prompt });
  }

  endInput(): void {}

  interrupt(): void {
    void this.#control.interrupt();
  }

  stop(): void {
    void this.#control.cancel();
  }

  stopGently(): void {
    void this.#control.cancel();
  }

  setPaused(paused: boolean): void {
    // A pause waits for the end of a turn. A run that is not paused yet cannot go on, so one command waits for the other.
    this.#pausing = this.#pausing.then(() => this.#control.tell(paused ? "pause" : "unpause"));
  }

  warn(message: string): void {
    void this.#on({ kind: "events", events: [this.#event({ type: "debug", level: "warn", message })] });
  }

  /** The end of a run that could not be made, or whose log failed. */
  #eventsOf(error: Error): AgentEvent[] {
    return this.#hasBegun ? [this.#event(failureOf(error))] : this.#wholeRun(failureOf(error));
  }

  /** The events of a run that has nothing but an end. */
  #wholeRun(failure: Fact<TerminalType>): AgentEvent[] {
    const { runId, request } = this.#setup;
    const streams = { text: true, toolCalls: true, thinking: true };
    const assembler = createAssembler({
      agent: "loop",
      runId,
      cwd: request.cwd,
      canAsk: true,
      stream: "auto",
      streams,
    });
    return [...assembler.accept([{ kind: "fail", event: failure }]), ...assembler.finish()];
  }

  #event(fields: object): AgentEvent {
    return { ...fields, runId: this.#setup.runId, agent: "loop", timestamp: Date.now() } as AgentEvent;
  }
}

/** The event that tells why a run did not start. */
function unstartedEnd({ type, data }: Envelope): Fact<TerminalType> {
  if (type === "run.cancelled") return { type: data.reason === "interrupted" ? "interrupted" : "aborted" };
  const code = String(data.code).toUpperCase();
  const message = typeof data.message === "string" ? data.message : "The run did not start.";
  return { type: "error", code: isErrorCode(code) ? code : "INTERNAL", message, recoverable: false };
}

/** The event that tells why no run was made. */
function failureOf(error: Error): Fact<"error"> {
  const code: FailureCode =
    error instanceof SpoorError
      ? error.code
      : error instanceof TaskError
        ? (codes[error.code] ?? "INTERNAL")
        : "INTERNAL";
  return { type: "error", code: asErrorCode(code), message: error.message, recoverable: false };
}

const codes: Partial<Record<TaskError["code"], FailureCode>> = {
  invalid: "VALIDATION_ERROR",
  model_not_configured: "AUTH_ERROR",
  not_supported: "CAPABILITY_ERROR",
};
