import type { DescribedAgent } from "../../inventory/agent-json.ts";
import type { Log } from "../../log/log.ts";
import type { Claim } from "../../log/queue.ts";
import type { RunExecutor } from "../../log/records.ts";
import type { TaskKind } from "../specification/fields.ts";
import type { TaskSpec } from "../specification/spec.ts";

/** A run that a worker has claimed, and what an executor needs to perform it. */
export interface Execution {
  readonly log: Log;
  /** The data directory. */
  readonly directory: string;
  readonly claim: Claim;
  readonly spec: TaskSpec;
  /** Aborts when this process stops, and when the lease is lost: then nothing more may be written or done. */
  readonly signal: AbortSignal;
  /** Names the processes of the run, so that a worker that cannot renew its lease can stop and kill them. */
  controls(processes: ProcessControls): void;
  /** Whether the lease is held now. Ask before every effect. */
  mayAct(): boolean;
}

/** The processes of a run. */
export interface ProcessControls {
  pause(): unknown;
  resume(): unknown;
  kill(): unknown;
}

/**
 * Performs runs of one kind. `execute` resolves when the run is over, or when it gave the run back: parked, paused or queued
 * again. If it rejects, the worker ends the run as failed.
 */
export interface Executor {
  readonly name: RunExecutor;
  execute(execution: Execution): Promise<void>;
}

/** A kind of task that a part of Spoor above the runtime performs, such as our own loop. */
export interface OfferedKind {
  readonly kind: TaskKind;
  /** Performs the runs. Its code is loaded with the first one. */
  readonly executor: Executor;
  /** Throws a `TaskError` if it can already be seen that a run cannot start, for example because a key is missing. */
  requireRunnable?(spec: TaskSpec): Promise<void>;
  /** Removes what killed processes left outside the log. A worker calls it when it starts. */
  sweep?(directory: string): Promise<void>;
  /** Describes the agent that performs the kind, for the list of agents. */
  describe?(): Promise<DescribedAgent>;
  /** Prepares a task that shows people what a run is, without a key, an agent or a network. */
  demo?(): Promise<PreparedDemo>;
}

/** A task that can be started, and the scratch folder in which it works. */
export interface PreparedDemo {
  readonly spec: TaskSpec;
  /** Removes the folder, if the task was not started after all. */
  discard(): void;
}

/** Starts a process that claims and performs one run by itself, and that outlives this process. */
export interface Launcher {
  launch(): LaunchedProcess;
}

/** A process that was started to perform one run. */
export interface LaunchedProcess {
  /** Resolves when the process has taken a run (true), or has ended without one (false). Never rejects. */
  readonly claimed: Promise<boolean>;
  /** Resolves when the process is gone. Never rejects. */
  readonly ended: Promise<void>;
}

/** What can perform runs here, by kind. A kind that is in neither map cannot be started. */
export interface Executors {
  /** Kinds that are performed in this process. */
  readonly inline: ReadonlyMap<string, Executor>;
  /** Kinds for which a process is started. */
  readonly launched: ReadonlyMap<string, Launcher>;
}

/** Whether runs of this kind can be performed. */
export const canExecute = ({ inline, launched }: Executors, kind: string): boolean =>
  inline.has(kind) || launched.has(kind);
