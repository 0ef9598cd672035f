import type { Answer } from "../../agents/machine.ts";
import type { Log } from "../../log/log.ts";
import type { AnswerOutcome } from "../../run/interaction-channel.ts";
import type { CommandKind } from "../../runtime/commands/send.ts";

/** How long a run may take to stop what it does before it is cancelled. */
const INTERRUPT_MS = 5_000;

/** Answers and steers one run through its log, as any other process would. */
export class LoopControl {
  readonly #run_id: string;
  readonly #by: string;
  readonly #warn: (message: string) => void;
  readonly #log = Promise.withResolvers<Log | undefined>();

  constructor(run_id: string, by: string, warn: (message: string) => void) {
    this.#run_id = run_id;
    this.#by = by;
    this.#warn = warn;
  }

  /** The run is stored. What was asked before is done now. */
  begin(log: Log): void {
    this.#log.resolve(log);
  }

  /** The run is over, or was never made. */
  end(): void {
    this.#log.resolve(undefined);
  }

  /** Decides an approval. Somebody in another process may have been first. */
  async decide(approval_id: string, { granted, text }: Answer, by = this.#by): Promise<AnswerOutcome> {
    const log = await this.#log.promise;
    if (!log) return { won: false, decision: "cancelled" };
    const [{ resolveApproval }, { ApprovalError }] = await Promise.all([
      import("../../runtime/approvals/resolve.ts"),
      import("../../runtime/approvals/approval-error.ts"),
    ]);
    const comment = granted ? undefined : text;
    try {
      await resolveApproval(log, { approval_id, decision: granted ? "approve" : "reject", by, comment });
      return { won: true, decision: granted ? "approved" : "rejected", by };
    } catch (error) {
      if (!(error instanceof ApprovalError)) throw error;
      const { status, by: winner } = (await log.rows.find("approvals", approval_id)) ?? {};
      const decision = status === "approved" ? "approved" : status === "rejected" ? "rejected" : "cancelled";
      return { won: false, decision, ...(typeof winner === "string" && { by: winner }) };
    }
  }

  /** Sends a command. If the run cannot carry it out, a warning says why. Returns whether it was carried out. */
  async tell(kind: CommandKind, body: { text?: string; reason?: string } = {}, timeoutMs = 30_000): Promise<boolean> {
    const refusal = await this.#send(kind, body, timeoutMs);
    if (refusal !== undefined) this.#warn(refusal);
    return refusal === undefined;
  }

  /** Stops what the run does. A run that waits for somebody, or that does not stop in time, is cancelled. */
  async interrupt(): Promise<void> {
    if ((await this.#send("interrupt", {}, INTERRUPT_MS)) !== undefined) await this.cancel("interrupted");
  }

  async cancel(reason?: string): Promise<void> {
    await this.#send("cancel", reason === undefined ? {} : { reason }, 0);
  }

  /** Returns why the command was not carried out in time; undefined if it was, or if the run is over. */
  async #send(kind: CommandKind, body: object, timeoutMs: number): Promise<string | undefined> {
    const log = await this.#log.promise;
    if (!log) return undefined;
    const [{ sendCommand }, { waitForCommand }, { CommandError }] = await Promise.all([
      import("../../runtime/commands/send.ts"),
      import("../../runtime/commands/wait.ts"),
      import("../../runtime/commands/command-error.ts"),
    ]);
    try {
      const { command } = await sendCommand(log, { run_id: this.#run_id, kind, body, by: this.#by });
      if (timeoutMs === 0) return undefined;
      const done = await waitForCommand(log, command.command_id, { timeoutMs });
      if (!done || done.outcome === "done") return undefined;
      return done.detail ?? `The command ${kind} was not carried out in time.`;
    } catch (error) {
      if (log.closed.aborted || (error instanceof CommandError && error.code === "run_over")) return undefined;
      return (error as Error).message;
    }
  }
}
