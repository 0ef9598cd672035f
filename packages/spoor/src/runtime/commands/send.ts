import { createHash } from "node:crypto";
import type { Effect } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { isOver, type StoredRun } from "../../log/records.ts";
import type { Row } from "../../log/tables.ts";
import { newCommandId } from "../approvals/resolve.ts";
import { activeChildrenOf } from "../lifecycle/children.ts";
import { canonicalJson } from "../projections/action-hash.ts";
import { CommandError } from "./command-error.ts";
import { actOnIdleRun } from "./idle-run.ts";

/** What a run can be told. Approvals are decided by `resolveApproval`, which makes its own command. */
export const commandKinds = ["answer", "send", "interrupt", "cancel", "pause", "unpause"] as const;

/** A kind of command. */
export type CommandKind = (typeof commandKinds)[number];

/** A command for a run. */
export interface CommandRequest {
  run_id: string;
  kind: CommandKind;
  /** `reason` of any command; `text` of `send` and `answer`; `interaction_id` of `answer`. */
  body?: { reason?: string | undefined; text?: string | undefined; interaction_id?: string | undefined };
  /** Who sends it: `cli:<user>`, `http`, … */
  by: string;
  /** A second request with the same key returns the first one's command. */
  idempotency_key?: string | undefined;
}

/** A command that is stored. */
export interface SentCommand {
  command: Row<"commands">;
  /** Whether the key was used before, so that this is the command of the first request. */
  repeated: boolean;
}

/**
 * Stores a command for a run, which wakes the executor wherever it runs. The outcome is in the command's row once the
 * executor has carried it out: `waitForCommand` waits for it.
 *
 * @throws {CommandError} if there is no such run, it is over, or the command is invalid.
 * @example
 * const { command } = await sendCommand(log, { run_id, kind: "send", body: { text: "Stop after the tests." }, by: "ann" });
 * console.log((await waitForCommand(log, command.command_id, { timeoutMs: 5_000 }))?.outcome);
 */
export async function sendCommand(log: Log, request: CommandRequest): Promise<SentCommand> {
  check(request);
  const { run_id, kind, by } = request;
  const body_hash = hashOf(request);
  const before = await earlier(log, request, body_hash);
  if (before) return { command: before, repeated: true };
  for (;;) {
    const run = await runOf(log, run_id);
    const command = commandOf(request);
    const effects: Effect[] = [
      { do: "insert", table: "commands", row: command },
      ...keyOf(request, command, body_hash),
    ];
    const facts = kind === "cancel" && { facts: { cancelling: true } };
    try {
      const done: Row<"commands"> = { ...command, done_at: command.created_at, outcome: "done" };
      const rows: Effect[] = [{ do: "insert", table: "commands", row: done }, ...keyOf(request, command, body_hash)];
      const idle = { kind, by, reason: request.body?.reason, effects: rows };
      if (await actOnIdleRun(log, run, idle)) {
        if (kind === "cancel") await cancelChildren(log, run, request);
        return { command: done, repeated: false };
      }
      // The guard makes sure that the run is not over when the command is stored.
      await log.append([{ run_id, drafts: [], when: { status: run.status }, effects, ...facts }]);
      return { command, repeated: false };
    } catch (error) {
      if (!(error instanceof LogError) || (error.code !== "conflict" && error.code !== "fenced")) throw error;
      const other = await earlier(log, request, body_hash);
      if (other) return { command: other, repeated: true };
      if (error.code === "conflict" && error.table !== "runs") throw error;
    }
  }

  function commandOf({ body = {} }: CommandRequest): Row<"commands"> {
    return {
      ...{ command_id: newCommandId(), run_id, kind, by, created_at: Date.now() },
      body: JSON.stringify(body),
      ...{ done_at: null, outcome: null, detail: null, sequence: null },
    };
  }
}

/** The subagents of a run that no process performs are cancelled with it. A process cancels those of its run itself. */
async function cancelChildren(log: Log, run: StoredRun, { by, body = {} }: CommandRequest): Promise<void> {
  for (const { run_id } of await activeChildrenOf(log, run))
    await sendCommand(log, { run_id, kind: "cancel", by, body }).catch((error: unknown) => {
      // It has ended meanwhile.
      if (!(error instanceof CommandError)) throw error;
    });
}

async function runOf(log: Log, run_id: string): Promise<StoredRun> {
  const run = await log.run(run_id);
  if (!run) throw new CommandError("run_not_found", `There is no run ${run_id}.`);
  if (isOver(run)) throw new CommandError("run_over", `The run ${run_id} is over: it is ${run.status}.`);
  return run;
}

function check({ kind, body: { text, interaction_id } = {} }: CommandRequest): void {
  const needsText = kind === "send" || kind === "answer";
  if (needsText && (text === undefined || text.trim() === "")) {
    throw new CommandError("invalid", `\`text\` is missing: ${kind} needs what to tell the agent.`);
  }
  if (kind === "answer" && interaction_id === undefined) {
    throw new CommandError("invalid", "`interaction_id` is missing: an answer names its question.");
  }
}

async function earlier(
  log: Log,
  { idempotency_key: key }: CommandRequest,
  body_hash: string,
): Promise<Row<"commands"> | undefined> {
  const request = key === undefined ? undefined : await log.rows.find("requests", key);
  if (!request) return undefined;
  const { command_id } = JSON.parse(request.made) as { command_id?: string };
  const command = command_id === undefined ? undefined : await log.rows.find("commands", command_id);
  if (request.body_hash === body_hash && command) return command;
  throw new CommandError("key_reused", "This Idempotency-Key was already used for a different request.");
}

function keyOf({ idempotency_key: key }: CommandRequest, command: Row<"commands">, body_hash: string): Effect[] {
  if (key === undefined) return [];
  const { command_id, created_at } = command;
  return [
    { do: "insert", table: "requests", row: { key, body_hash, made: JSON.stringify({ command_id }), created_at } },
  ];
}

const hashOf = ({ run_id, kind, body }: CommandRequest): string =>
  createHash("sha256").update(canonicalJson({ run_id, kind, body })).digest("hex");
