import type { AgentEvent } from "@spoor/protocol";
import type { RunExecutor } from "../../log/records.ts";
import type { RunStart } from "../../run/observer.ts";
import type { ApprovalTerms } from "../projections/approval-request.ts";
import type { RecordedParts } from "../redaction/hide-parts.ts";
import type { GivenSecret } from "../redaction/index.ts";
import type { CallHooks } from "./call-hooks.ts";
import type { ChangeSource } from "./change-source.ts";
import type { ContentSource } from "./content-source.ts";
import type { RecorderLog } from "./recorder-log.ts";
import type { RecordingError } from "./recording-error.ts";
import type { TakenUpRun } from "./taken-up.ts";

/** What a recorder has written. */
export interface Recorded {
  /** The runs that were written, the first one first. */
  run_ids: string[];
  /** Why the recording is incomplete. */
  failure?: RecordingError;
}

/** Where and how a recorder writes. */
export interface RecorderOptions extends RecordedParts {
  log: RecorderLog;
  /** Secrets that only the caller knows. Common kinds of keys are found without this. */
  secrets?: readonly GivenSecret[];
  /** The task of the runs. Default: the task of the run that this one continues, or a new one. */
  task_id?: string;
  /** The conversation. Default: that of the run that this one continues, or a new one. */
  session_id?: string;
  kind?: string;
  /** The run whose tape is read again to make the first run. */
  renormalized_from_run_id?: string;
  worker_id?: string;
  /** What performs the run. */
  executor?: RunExecutor;
  /** Set if approvals can be answered from anywhere, because somebody carries out commands: each is a durable record. */
  approvals?: ApprovalTerms;
  /**
   * Whether the run is one of our own loop: it says itself when a call starts and when a checkpoint is saved, and it gives its
   * worker back when it waits.
   */
  is_own_loop?: boolean;
  /** The run, if it is in the log already. Its stored events are read first, and only what follows them is written. */
  taken_up?: TakenUpRun;
  /** Makes what finds changes of files in a folder. Absent: nobody looks for them. */
  changes?: (cwd: string) => ChangeSource | undefined;
  /** Keeps large outputs, images and attachments. Absent: the events alone are kept. */
  contents?: ContentSource;
  /** Makes what runs the user's hooks. Absent: no hook runs. */
  hooks?: (start: RunStart) => CallHooks | undefined;
  /** Types of events whose durability somebody waits for (see `onWritten`). Default: all. */
  awaited?: (type: AgentEvent["type"]) => boolean;
  /** Whether raw lines are stored beside the events. Default: true. */
  record_tape?: boolean;
  /**
   * Limit of what is recorded of the process, in bytes of events and raw lines. Beyond it, only costs and the end of the run
   * are recorded.
   */
  max_recorded_bytes?: number;
  now?: () => number;
}
