import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import type { StoredRun } from "../../log/records.ts";
import { loadPolicy, type Policy, type PolicyAction, type Verdict } from "../policy/index.ts";
import { serversApprovedFor, type UnapprovedServers, unapprovedServers } from "../policy/mcp-approvals.ts";
import { INTERACTIVE_MS, requestData } from "../projections/approval-request.ts";
import type { TaskSpec } from "../specification/spec.ts";
import type { TaskContext } from "./context.ts";
import type { Place } from "./place.ts";
import { TaskError } from "./task-error.ts";

/** An approval that a run needs before it starts. */
export interface Gate {
  reason: string;
  /** The data of `approval.requested`. */
  request: Record<string, unknown>;
}

/**
 * Asks the policy about the task itself, and about the command or file of a task without a model. Only rules count: whoever
 * starts a task has decided that it may run, so what no rule mentions is allowed. Throws if a rule blocks the task.
 */
export async function gateOf(
  { log, directory, by }: TaskContext,
  spec: TaskSpec,
  place: Place,
  parent?: StoredRun,
): Promise<Gate | undefined> {
  const policy = await loadPolicy({
    directory,
    cwd: place.path,
    ...(spec.policy && { task: spec.policy }),
    yolo: spec.approve === "auto" || spec.approve === "yolo",
  });
  const verdicts = actionsOf(spec, place.path, policy).map((action) => policy.decide(action));
  const blocked = verdicts.find(({ decision }) => decision === "block");
  if (blocked) {
    const message = `A rule blocks this task: ${blocked.reason} Change the task, or the rule.`;
    throw new TaskError("policy_blocked", message, { rule: blocked.rule?.text, policy_id: blocked.policy_id });
  }
  const asking = verdicts.find((verdict) => verdict.decision === "ask" && isByRule(verdict));
  // Agents of others start their servers themselves. A subagent uses what was approved for its parent.
  const known = parent ? await serversApprovedFor(log, parent.run_id) : [];
  const servers = spec.kind === "agent_loop" ? unapprovedServers(directory, spec, place.path, known) : undefined;
  if (asking || servers)
    return gate(spec, place, by, [asking?.reason, servers?.reason].filter(Boolean).join(" "), asking, servers);
  const mustAsk =
    (spec.approve === "ask" || spec.approve === "prompt") && spec.kind !== "agent" && spec.kind !== "agent_loop";
  return mustAsk ? gate(spec, place, by, "The task asks for an approval before it starts.") : undefined;
}

const isByRule = ({ rule }: Verdict): boolean => rule !== undefined && rule.source !== "default";

/** Everything about the task that rules can mention. */
function actionsOf(spec: TaskSpec, cwd: string, policy: Policy): PolicyAction[] {
  const { kind, model, command, path: file } = spec;
  const agent = spec.agent ?? (kind === "agent_loop" ? "loop" : undefined);
  const base = { cwd, ...(agent !== undefined && { agent }) };
  const actions: PolicyAction[] = [{ ...base, subject: "task", kind }];
  // The agent gets the model that the rules choose.
  if (model !== undefined)
    actions.push({ ...base, subject: "model", model: policy.rewriteModel(model, agent)?.model ?? model });
  if (kind === "shell") actions.push({ ...base, subject: "shell", command: lineOf(command) });
  if (kind === "git") actions.push({ ...base, subject: "git", command: `git ${lineOf(command)}` });
  if (kind === "file" && file !== undefined) actions.push({ ...base, subject: "write", paths: [file] });
  return actions;
}

/** A command as a shell reads it. Words of a list are quoted, since no shell splits them. */
const lineOf = (command: TaskSpec["command"]): string =>
  typeof command === "string" ? command : (command ?? []).map(quoted).join(" ");

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function gate(
  spec: TaskSpec,
  { path: cwd }: Place,
  by: string,
  reason: string,
  verdict?: Verdict,
  servers?: UnapprovedServers,
): Gate {
  const { kind, command, prompt, operation, path: file, content } = spec;
  const asked = kind === "file" ? `${operation} ${file}` : command === undefined ? String(prompt) : lineOf(command);
  const [first, ...further] = asked.split("\n");
  // The summary shows the first line.
  const detail = servers ? [...(further.length > 0 ? [asked, ""] : []), servers.detail].join("\n") : asked;
  const input = {
    kind,
    ...(servers && { mcp_servers: servers.launches }),
    ...(command !== undefined && { command }),
    ...(file !== undefined && { operation, path: file, content }),
  };
  const at = Date.now();
  const approval_id = prefixed("approval", newUlid());
  const data = {
    approval_id,
    kind: approvalKinds[kind],
    summary: `Start a task of kind ${kind}${servers ? ` with ${servers.names}` : ""}: ${first}`,
    action: "start",
    detail,
    input,
    ...(servers && servers.diff !== "" && { diff: servers.diff }),
    cwd,
    status: "pending",
    requested_by: by,
  };
  const rule = {
    ...(verdict?.rule && { rule: verdict.rule.text }),
    ...(verdict && { policy_id: verdict.policy_id }),
    policy_reason: reason,
  };
  return { reason, request: requestData(data, { cwd, expiresInMs: INTERACTIVE_MS }, rule, at) };
}

const approvalKinds = {
  agent: "task",
  agent_loop: "task",
  shell: "shell_command",
  git: "git_exec",
  file: "file_write",
} as const satisfies Record<TaskSpec["kind"], string>;

const newUlid = createUlidSource();
