/** The state of a run, as lists show it. */
export type RunStatus = "queued" | "awaiting_approval" | "running" | "completed" | "failed" | "cancelled";

/** Whether the run's terminal event is stored. */
export const isOver = ({ status }: { status: RunStatus }): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/** What is known of a run when it is created. */
export interface NewRun {
  /** Absent: a new task is made for the run. */
  task_id?: string;
  session_id?: string;
  agent: string;
  /** `agent`, `agent_loop`, `shell`, … */
  kind: string;
}

/** Facts in a run's row. New facts may be added. */
export interface RunFacts {
  status?: RunStatus;
  /** The first line of the prompt. */
  title?: string;
  model?: string;
  workspace_path?: string;
  native_session_id?: string;
  parent_run_id?: string;
  prior_run_id?: string;
  /** The run whose tape this run was made from. */
  renormalized_from_run_id?: string;
  /** The last event of that run when this one was made. */
  prior_sequence?: number;
  /** The step of that run after which this one continues. */
  prior_step_id?: string;
  /** The cost of all earlier runs that this run continues. */
  prior_cost_micros_usd?: number;
  turns?: number;
  cost_micros_usd?: number;
  /** The code of the failure. */
  error_code?: string;
  has_tape?: boolean;
  /** The process that writes the run. Also in `run.started`, which may be pruned. */
  worker_id?: string;
  /** The worker that started this process, which outlives it. */
  launcher_id?: string;
  /** The time of the terminal event in epoch milliseconds. */
  ended_at?: number;
  /** What the run does, in one of the five words of the view. */
  state?: DerivedState;
  /** What the run does now, in one line. */
  now?: string;
  /** How the run ended, in one line: its last words, or why it failed. */
  result?: string;
  /** The time of the last event that shows progress, in epoch milliseconds. */
  last_activity?: number;
  /** How many approvals and questions are open. */
  pending?: number;
  files_changed?: number;
  additions?: number;
  deletions?: number;
  /** Where the cost comes from, as in `cost.tick`. */
  cost_source?: string;
  /** Tokens so far, as in `cost.tick`. */
  input_tokens?: number;
  output_tokens?: number;
  cached_input_tokens?: number;
  thinking_tokens?: number;
  paused?: boolean;
  /** The run waits for a person and has neither a process nor a queue row. */
  parked?: boolean;
  /** A cancel was asked for, and the executor has not ended the run yet. */
  cancelling?: boolean;
  /** How often an executor has started the run. */
  attempt?: number;
  /** What performs the run. */
  executor?: RunExecutor;
  /** The agent's process group: the id of its leading process, in the form of `worker_id`. Recovery ends what is left of it. */
  agent_process?: string;
}

/** What a run does, in one of five words. It is derived from its events. */
export type DerivedState = "idle" | "working" | "blocked" | "done" | "error";

/** What performs a run: a worker of the server, a process that the server started, or `spoor run`. */
export type RunExecutor = "worker" | "process" | "cli";

/** Changes of facts. Null removes a fact. */
export type FactChanges = { [K in keyof RunFacts]?: K extends "status" ? RunStatus : RunFacts[K] | null };

/** Facts that a run's row must have. An absent fact equals null, false and 0. */
export type FactGuard = { [K in keyof RunFacts]?: RunFacts[K] | null };

/** A run as the log knows it. */
export interface StoredRun extends RunFacts {
  run_id: string;
  task_id: string;
  session_id?: string;
  agent: string;
  kind: string;
  status: RunStatus;
  /** The epoch of the run's producer. Events of Spoor are appended under it. */
  epoch: number;
  created_at: number;
  updated_at: number;
  /** Set if the row does not match its checksum. Then only the events can be trusted. */
  damaged?: true;
  /** The first stored sequence. In a pruned run that is its gap event. */
  first_sequence: number;
  last_sequence: number;
  last_position: number;
  /** The hash chain after the last event. For a pruned run, `chain_start` is the chain at its gap event. */
  head: string;
  chain_start?: string;
  /** The uncompressed size of the stored events. */
  bytes: number;
}

/** A task, which groups runs, as the log knows it. */
export interface StoredTask {
  task_id: string;
  title?: string;
  created_at: number;
  updated_at: number;
  run_count: number;
  /** `not_started`, or the status of the newest run. */
  status: RunStatus | "not_started";
  /** The newest run and its status. Absent if the task has no run yet. */
  latest_run_id?: string;
  latest_run_status?: RunStatus;
  /** The run that is queued, waiting or running now. */
  active_run_id?: string;
  /** What was asked, as JSON. Absent if the task only groups recorded runs. */
  spec?: string;
  kind?: string;
  /** A greater priority is served first. */
  priority?: number;
}

/** Selects runs of a log. */
export interface RunQuery {
  task_id?: string;
  /** `*` stands for any text. */
  agent?: string;
  status?: RunStatus;
  native_session_id?: string;
  kind?: string;
  /** `*` stands for any text. */
  model?: string;
  state?: DerivedState;
  /** An absolute path: runs in this directory or below it. Other text: part of their path or of a changed file's. */
  path?: string;
  /** Words that must all occur in the run, in any case of letters: in its row, its prompts or its changed paths. */
  q?: string;
  /** Also counts all runs of the log. */
  counts?: boolean;
  /** Leaves out runs that were made from another run's tape. */
  hide_renormalized?: boolean;
  /** Only runs created before this one. */
  before?: string;
  limit?: number;
}

/** How many runs a log has, in all and by state. Runs that were made from another run's tape do not count. */
export type CountsByState = Record<"total" | DerivedState, number>;

/** Selects tasks of a log. */
export interface TaskQuery {
  before?: string;
  limit?: number;
}
