import { carryOut } from "../../runtime/commands/carry-out.ts";
import { CommandError, readRefusal } from "../../runtime/commands/command-error.ts";
import { commandJson } from "../../runtime/commands/record-json.ts";
import type { CommandKind } from "../../runtime/commands/send.ts";
import { principalOf } from "../../runtime/execution/principal.ts";
import { findRun } from "../history/find-run.ts";
import { withWritableLog } from "../history/with-writable-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { handOverQueued } from "../running/with-tasks.ts";

export interface CommandOptions {
  data?: string;
  message?: string;
  question?: string;
  wait: boolean;
  json?: true;
}

/** How long a person waits for the run to carry out a command. */
const WAIT_MS = 30_000;

/** Tells a run to do something, and waits until it has done so. */
export async function command(
  kind: CommandKind,
  typed: string,
  text: string | undefined,
  { data, message, question, wait, json }: CommandOptions,
  io: Io,
): Promise<void> {
  await withWritableLog({ ...(data !== undefined && { data }) }, async (log) => {
    const { run_id } = await findRun(log, typed);
    const interaction_id = kind === "answer" ? (question ?? (await openQuestion(log, run_id))) : undefined;
    const request = {
      run_id,
      kind,
      by: principalOf("cli"),
      body: { reason: message, text, interaction_id },
    };
    const { command } = await carryOut(log, request, { waitMs: wait ? WAIT_MS : 0 });
    if (kind === "unpause") await handOverQueued(log, run_id, data);
    if (json) printJson(io.stdout, commandJson(command));
    if (command.outcome === "refused") throw readRefusal(command.detail);
    if (json) return;
    const state = command.done_at === null ? "was sent, and is not done yet" : "is done";
    io.stdout.write(`${kind} of ${run_id} ${state}.\n`);
  });
}

/** The only open question of a run. */
async function openQuestion(log: Parameters<typeof findRun>[0], run_id: string): Promise<string> {
  const { openQuestions } = await import("../../runtime/commands/open-questions.ts");
  const open = await openQuestions(log, run_id);
  const [only] = open;
  if (only !== undefined && open.length === 1) return only;
  const what =
    open.length === 0 ? "asks no question" : `asks several questions: ${open.join(", ")}. Name one with --question`;
  throw new CommandError("not_pending", `${run_id} ${what}.`);
}
