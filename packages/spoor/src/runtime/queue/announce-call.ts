import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import { readEnvelopes } from "../../log/envelopes.ts";
import type { StoredRun } from "../../log/records.ts";
import { findConfigFolders } from "../../options/config/config-folders.ts";
import { readHooks } from "../../options/config/configuration-files.ts";
import type { RunEvent } from "../commit.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import { INTERACTIVE_MS, requestData } from "../projections/approval-request.ts";
import type { CallHooks, HookAnswer } from "../recorder/call-hooks.ts";
import { storedLines } from "../recorder/stored-lines.ts";
import type { Redactor } from "../redaction/index.ts";
import type { Execution } from "./executor.ts";
import { endOfRun, type OwnRun, openOwnRun } from "./own-run.ts";
import { parkRun } from "./park.ts";

/** The only call of a run without a model. */
export interface OwnCall {
  tool_call_id: string;
  tool_name: string;
  kind: string;
}

/** The id of the only call. If the worker was lost before the call began, the next worker announces another one. */
export const callIdOf = ({ attempt = 1 }: Pick<StoredRun, "attempt">): string => `step-${attempt}`;

/** What a person is told about a call that a hook asks about. */
export interface CallDescription {
  /** More data of `tool.invoked`. */
  data?: Record<string, unknown>;
  detail: string;
  input: Record<string, unknown>;
  cwd: string;
  redactor: Redactor;
  environment: NodeJS.ProcessEnv;
}

/**
 * Announces the call of a run and asks the user's hooks about it. Returns the run if the call may happen. Otherwise the run
 * is over, because a hook denied it, or parked, because a hook wants a person to be asked.
 */
export async function announceCall(
  execution: Execution,
  call: OwnCall,
  description: CallDescription,
): Promise<OwnRun | undefined> {
  const { log, claim } = execution;
  const { run_id } = claim.run;
  const { cwd, redactor, environment, data } = description;
  const hooks = hooksOf(execution, cwd, environment);
  const afterCall = hooks && (() => hooks.after({ run_id, tool_call_id: call.tool_call_id }, async () => {}));
  const own = openOwnRun(execution, redactor, afterCall);
  // Somebody has allowed the call, which was announced before the run was parked.
  if ((await lastOf(log, run_id)) === "approval.resolved") return own;
  await own.commit([["tool.invoked", { ...call, ...data }]]);
  const answer = await hooks?.before({ run_id, ...call });
  if (answer?.decision === "deny") return void (await deny(own, call, answer));
  if (answer?.decision === "ask") return void (await ask(own, call, description, answer));
  if (answer && answer.events.length > 0) await own.commit(answer.events);
  return own;
}

function hooksOf({ log }: Execution, cwd: string, environment: NodeJS.ProcessEnv): CallHooks | undefined {
  const hooks = readHooks(findConfigFolders({ cwd, environment }));
  return openHooks({ hooks, cwd, readLines: storedLines(log) });
}

/** The type of the last event about the call. */
async function lastOf(log: Execution["log"], run_id: string): Promise<string | undefined> {
  let last: string | undefined;
  const match = (type: string) => type.startsWith("tool.") || type === "approval.resolved";
  for await (const { type } of readEnvelopes(log, { run_id, match })) last = type;
  return last;
}

async function deny(own: OwnRun, call: OwnCall, { reason, events }: HookAnswer): Promise<void> {
  const message = `A hook denied it${reason === "" ? "." : `: ${reason}`}`;
  const blocked: RunEvent = ["policy.tool_blocked", { ...call, reason: message, policy_id: "hook:PreToolUse" }];
  await own.end([...events, blocked], endOfRun("failed", { code: "policy_blocked", message }));
}

async function ask(
  own: OwnRun,
  call: OwnCall,
  { detail, input, cwd }: CallDescription,
  { reason, events }: HookAnswer,
): Promise<void> {
  const at = Date.now();
  const { kind, tool_call_id, tool_name } = call;
  const data = {
    approval_id: prefixed("approval", newUlid()),
    kind: approvalKinds[kind] ?? "task",
    summary: `A hook asks about this: ${detail.split("\n", 1)[0]}`,
    action: "run",
    ...{ tool_call_id, tool_name, detail, input, cwd },
    status: "pending",
  };
  const rule = { policy_id: "hook:PreToolUse", policy_reason: reason };
  const request: RunEvent = ["approval.requested", requestData(data, { cwd, expiresInMs: INTERACTIVE_MS }, rule, at)];
  await parkRun(own, [...events, request]);
}

const approvalKinds: Readonly<Record<string, string>> = {
  shell: "shell_command",
  git: "git_exec",
  file: "file_write",
};

const newUlid = createUlidSource();
