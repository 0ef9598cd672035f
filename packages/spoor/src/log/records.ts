/** Where a run stands, as a list shows it. */
export type RunStatus = "queued" | "awaiting_approval" | "running" | "completed" | "failed" | "cancelled";

/** Whether its terminal run event has come. */
export const isOver = ({ status }: { status: RunStatus }): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

export interface NewRun {
  /** Absent: the run gets a task of its own. */
  task_id?: string;
  session_id?: string;
  agent: string;
  /** `agent`, `agent_loop`, `shell`, … */
  kind: string;
}

/** What a run's row tells beside its place in the log; grows by addition. */
export interface RunFacts {
  status?: RunStatus;
  /** The first line of what was asked. */
  title?: string;
  model?: string;
  workspace_path?: string;
  native_session_id?: string;
  parent_run_id?: string;
  prior_run_id?: string;
  /** The run whose tape was read again to make this one. */
  renormalized_from_run_id?: string;
  /** What all earlier runs of the chain this one continues cost. */
  prior_cost_micros_usd?: number;
  turns?: number;
  cost_micros_usd?: number;
  /** Code of the failure. */
  error_code?: string;
  has_tape?: boolean;
  /** The process that writes it; its `run.started` says so too, but may be pruned. */
  worker_id?: string;
  /** Epoch milliseconds of the terminal run event. */
  ended_at?: number;
}

export interface RunRecord extends RunFacts {
  run_id: string;
  task_id: string;
  session_id?: string;
  agent: string;
  kind: string;
  status: RunStatus;
  created_at: number;
  updated_at: number;
  /** The row is not as it was written: trust the events, not this. */
  damaged?: true;
  /** The first sequence that is still held; a pruned run begins with its gap. */
  first_sequence: number;
  last_sequence: number;
  last_position: number;
  /** The hash chain after its last event; of a pruned run, also where what is left of it starts. */
  head: string;
  chain_start?: string;
  /** Of the events that are held, as they are read. */
  bytes: number;
}

export interface TaskRecord {
  task_id: string;
  title?: string;
  created_at: number;
  updated_at: number;
  run_count: number;
  /** The newest run and where it stands. */
  latest_run_id: string;
  latest_run_status: RunStatus;
}

export interface RunQuery {
  task_id?: string;
  agent?: string;
  status?: RunStatus;
  native_session_id?: string;
  /** Leaves out runs that were made by reading another run's tape again. */
  hide_renormalized?: boolean;
  /** Only runs created before this one. */
  before?: string;
  limit?: number;
}

export interface TaskQuery {
  before?: string;
  limit?: number;
}
