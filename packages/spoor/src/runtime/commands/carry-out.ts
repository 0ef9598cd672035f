import { unprefixed } from "@spoor/protocol/ids";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { isOver } from "../../log/records.ts";
import type { Row } from "../../log/tables.ts";
import { killMarked } from "../../process/kill-marked.ts";
import { recoverIfGone } from "./gone-executor.ts";
import { type CommandRequest, type SentCommand, sendCommand } from "./send.ts";
import { waitForCommand } from "./wait.ts";

/** An executor that does not take a command within this time is looked at. */
const TAKEN_MS = 10_000;
/** A cancel may take as long as an agent gets to end by itself, and this much longer. */
export const CANCEL_MS: number = 5_000 + TAKEN_MS;

/**
 * Sends a command and waits for its outcome, at most this long. If the executor is gone, the run is recovered, which ends the
 * command. A cancel that nobody carries out in time although the executor lives is enforced.
 *
 * @throws {CommandError}
 */
export async function carryOut(
  log: Log,
  request: CommandRequest,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal },
): Promise<SentCommand> {
  await recoverIfGone(log, request.run_id);
  const sent = await sendCommand(log, request);
  const { command_id, run_id, kind } = sent.command;
  const wait = (timeoutMs: number) => waitForCommand(log, command_id, { timeoutMs, ...(signal && { signal }) });
  const deadline = Date.now() + waitMs;
  let command = await wait(Math.min(waitMs, TAKEN_MS));
  while (command && command.done_at === null && !signal?.aborted && Date.now() < deadline) {
    await recoverIfGone(log, run_id);
    if (kind === "cancel") await enforceCancel(log, command, Date.now());
    command = await wait(Math.max(0, Math.min(1_000, deadline - Date.now())));
  }
  return { ...sent, command: command ?? sent.command };
}

/**
 * Ends a run whose executor did not carry out a cancel in time, although it lives: claims the run, which fences the executor,
 * kills the processes of the agent and closes the run. Does nothing before the cancel is due.
 */
async function enforceCancel(log: Log, command: Row<"commands">, now: number): Promise<void> {
  const { run_id, by, body, created_at } = command;
  if (created_at + CANCEL_MS > now) return;
  const run = await log.run(run_id);
  if (!run || isOver(run)) return;
  const { endRun } = await import("../recovery/end-run.ts");
  const { reason } = JSON.parse(body ?? "{}") as { reason?: string };
  try {
    const epoch = await log.claim(run_id);
    killMarked(unprefixed("run", run_id));
    await endRun(log, run, epoch, {
      at: now,
      cancelled: { ...(by !== null && { by }), ...(reason !== undefined && { reason }) },
    });
  } catch (error) {
    // Somebody else ends the run at the same time.
    if (!(error instanceof LogError && (error.code === "fenced" || error.code === "conflict"))) throw error;
  }
}

/** Enforces cancels that are overdue, and ends commands of runs that are over. A server does this for everybody. */
export async function tidyCommands(log: Log, now: number): Promise<void> {
  const { rows } = await log.rows.list("commands", { where: { done_at: null }, order: "created_at", limit: 500 });
  for (const command of rows) {
    if (command.kind === "cancel") await enforceCancel(log, command, now);
    const run = await log.run(command.run_id);
    if (run && !isOver(run)) continue;
    const { endOfCommand } = await import("../recorder/acknowledgements.ts");
    const end = endOfCommand(command.command_id, "refused", "run_over: The run ended first.");
    await log.rows.write([end]).catch((error) => {
      if (!(error instanceof LogError) || error.code !== "conflict") throw error;
    });
  }
}
