import type { AgentEvent, AgentEventOf } from "@spoor/protocol";
import { prefixed } from "@spoor/protocol/ids";
import type { Answer } from "../../agents/machine.ts";
import type { Row } from "../../log/tables.ts";
import type { AnswerOutcome, PendingInteraction } from "../../run/interaction-channel.ts";
import type { RunControl, UserInput } from "../../run/observer.ts";
import { ApprovalError } from "../approvals/approval-error.ts";
import { expireApproval } from "../approvals/deadline.ts";
import { type Resolution, type ResolvedRun, type ResolvingLog, resolveApproval } from "../approvals/resolve.ts";
import { type CommandBody, CommandReceiver } from "../commands/receive.ts";
import type { TakenCommand } from "../recorder/acknowledgements.ts";
import type { Recorder } from "../recorder/recorder.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";

export interface DoorHost {
  log: RecorderLog;
  recorder: Recorder;
  control: RunControl;
  run_id: string;
  onDecided?(decided: DecidedElsewhere): void;
  onTold?(told: ToldElsewhere): void;
}

/** A decision that came from another process. */
export interface DecidedElsewhere {
  approval_id: string;
  decision: "approved" | "rejected";
  by: string;
  comment?: string;
}

/** A command that came from another process and changes whether the run goes on. */
export interface ToldElsewhere {
  kind: "cancel" | "interrupt" | "pause" | "unpause";
  by: string;
  reason?: string;
}

/**
 * The door of a run that is being executed: commands come in from other processes, and answers of this process go the same
 * way, so that the first one wins. It also watches the deadlines of the run's approvals.
 */
export class Door {
  readonly #host: DoorHost;
  readonly #receiver: CommandReceiver;
  readonly #log: ResolvingLog;
  readonly #deadlines = new Map<string, NodeJS.Timeout>();
  /** Approvals that this process decides. */
  readonly #own = new Set<string>();
  #mainRun: string;

  constructor(host: DoorHost) {
    this.#host = host;
    this.#mainRun = host.run_id;
    this.#receiver = new CommandReceiver({
      ...host,
      mainRun: () => this.#mainRun,
      onTaken: (command, body) => this.#onTaken(command, body),
    });
    this.#receiver.watch(host.run_id);
    const { append, rows } = host.log;
    this.#log = {
      append: append.bind(host.log),
      rows,
      run: async (run_id) => this.#rowOf(run_id),
    };
  }

  commandOf(input: UserInput): TakenCommand | undefined {
    return this.#receiver.commandOf(input);
  }

  onEvent(event: AgentEvent): void {
    const run_id = prefixed("run", event.runId);
    if (event.type === "session_start" && event.parentRunId === undefined) this.#mainRun = run_id;
    if (event.type !== "session_start" || event.parentRunId === undefined) this.#receiver.watch(run_id);
    if (event.type === "approval_request") void this.#watchDeadline(event);
  }

  /** Stores an answer of this process. The agent gets it if it was the first. */
  async decide({ id }: PendingInteraction, answer: Answer, by: string | undefined): Promise<AnswerOutcome> {
    const { granted, text } = answer;
    const resolution: Resolution = {
      approval_id: id,
      decision: granted ? "approve" : "reject",
      by: by ?? "sdk",
      ...(text !== undefined && { comment: this.#host.recorder.redact(text) }),
    };
    try {
      this.#own.add(id);
      const { command } = await resolveApproval(this.#log, resolution);
      // The agent gets the reason as it was given.
      this.#receiver.take(text === undefined ? command : withComment(command, text));
      return { won: true, decision: granted ? "approved" : "rejected", by: resolution.by };
    } catch (error) {
      this.#own.delete(id);
      if (!(error instanceof ApprovalError) || error.code === "approval_not_found") throw error;
      const winner = error.approval;
      const decision =
        winner?.decision === "approved" || winner?.decision === "rejected" ? winner.decision : "cancelled";
      return { won: false, decision, ...(typeof winner?.by === "string" && { by: winner.by }) };
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#deadlines.values()) clearTimeout(timer);
    await this.#receiver.close();
  }

  #onTaken({ kind, by }: Row<"commands">, { approval_id, comment, reason }: CommandBody): void {
    if (isTold(kind)) this.#host.onTold?.({ kind, by: by ?? "somebody", ...(reason !== undefined && { reason }) });
    if ((kind !== "approve" && kind !== "deny") || approval_id === undefined || this.#own.delete(approval_id)) return;
    const decision = kind === "approve" ? "approved" : "rejected";
    this.#host.onDecided?.({
      ...{ approval_id, decision, by: by ?? "somebody" },
      ...(comment !== undefined && { comment }),
    });
  }

  async #watchDeadline({ interactionId }: AgentEventOf<"approval_request">): Promise<void> {
    const { log, recorder } = this.#host;
    await recorder.written();
    const row = await log.rows.find("approvals", interactionId).catch(() => undefined);
    if (!row || row.expires_at === null) return;
    const { expires_at } = row;
    const expire = async (): Promise<void> => {
      this.#deadlines.delete(interactionId);
      const resolved = await expireApproval(this.#log, row, Math.max(Date.now(), expires_at));
      if (resolved) this.#receiver.take(resolved.command);
    };
    const wait = Math.min(Math.max(0, expires_at - Date.now()), MAX_TIMEOUT_MS);
    this.#deadlines.set(interactionId, setTimeout(() => void expire().catch(() => {}), wait).unref());
  }

  /** What the executor knows of the row. If somebody has changed it, the conflict tells how it is now. */
  #rowOf(run_id: string): ResolvedRun | undefined {
    const epoch = this.#host.recorder.epochOf(run_id);
    if (epoch === undefined) return undefined;
    const pending = this.#host.control.pending.length + 1;
    return { run_id, task_id: "", status: "awaiting_approval", epoch, pending, kind: "agent", worker_id: "" };
  }
}

const told: readonly string[] = ["cancel", "interrupt", "pause", "unpause"] satisfies ToldElsewhere["kind"][];
const isTold = (kind: string): kind is ToldElsewhere["kind"] => told.includes(kind);

const withComment = <C extends { body: string | null }>(command: C, comment: string): C => ({
  ...command,
  body: JSON.stringify({ ...JSON.parse(command.body ?? "{}"), comment }),
});

/** Longer timers fire at once. */
const MAX_TIMEOUT_MS = 2_147_483_647;
