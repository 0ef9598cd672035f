import { createUlidSource, prefixed } from "../../packages/protocol/src/envelope/ids.ts";
import { type AgentEvent, createEncoder } from "../../packages/protocol/src/index.ts";
import type { Log } from "../../packages/spoor/src/log/log.ts";
import type { RunEvent } from "../../packages/spoor/src/runtime/commit.ts";
import { INTERACTIVE_MS, requestData } from "../../packages/spoor/src/runtime/projections/approval-request.ts";
import { openingOf } from "../../packages/spoor/src/runtime/queue/opening.ts";
import { openOwnRun } from "../../packages/spoor/src/runtime/queue/own-run.ts";
import { parkRun } from "../../packages/spoor/src/runtime/queue/park.ts";
import { createRedactor } from "../../packages/spoor/src/runtime/redaction/index.ts";
import type { TaskSpec } from "../../packages/spoor/src/runtime/specification/spec.ts";
import { createAndStart } from "../../packages/spoor/src/runtime/tasks/start.ts";
import { ownWorkerId } from "../../packages/spoor/src/runtime/worker.ts";

const newUlid = createUlidSource();
const LEASE_MS = 30_000;

/** Starts a run of a loop of ours that asks for two approvals at once and is parked. */
export async function parkedRun(
  log: Log,
  { directory, workspace }: { directory: string; workspace: string },
): Promise<{ run_id: string; approvals: [string, string] }> {
  const spec: TaskSpec = { kind: "agent_loop", prompt: "race", workspace: { path: workspace, share: true } };
  await createAndStart({ log, directory, canExecute: () => true, by: "campaign" }, spec);
  const claim = await log.queue.claim(ownWorkerId(), ["agent_loop"], LEASE_MS, (run, lease) =>
    openingOf(run, lease, "worker", directory),
  );
  if (!claim) throw new Error("The new run cannot be claimed.");
  const { signal } = new AbortController();
  const execution = { log, directory, claim, spec, signal, controls: () => {}, mayAct: () => true };
  const own = openOwnRun(execution, createRedactor());
  const approvals: [string, string] = [prefixed("approval", newUlid()), prefixed("approval", newUlid())];
  await parkRun(own, conversation(claim.run.run_id, approvals));
  return { run_id: claim.run.run_id, approvals };
}

function conversation(run_id: string, approvals: readonly string[]): RunEvent[] {
  const encoder = createEncoder();
  const at = Date.now();
  const base = { runId: run_id.slice("run_".length), agent: "agent_loop", timestamp: at };
  const events = [
    { type: "session_start", sessionId: "loop-session", resumed: false },
    { type: "turn_start", turnIndex: 0 },
    ...approvals.flatMap((_, index) => [
      { type: "tool_call_start", ...callOf(index), inputAccumulated: "" },
      { type: "tool_call_ready", ...callOf(index), input: { command: `echo ${index}` } },
    ]),
    ...approvals.map((interactionId, index) => {
      const asked = { action: "Run a command", detail: `echo ${index}`, riskLevel: "low" };
      return { type: "approval_request", interactionId, ...callOf(index), ...asked };
    }),
  ].map((event) => ({ ...base, ...event }) as AgentEvent);
  const limits = { cwd: "/", expiresInMs: INTERACTIVE_MS };
  return events.flatMap((event) =>
    encoder.encodeText(event).map(({ type, json }): RunEvent => {
      const data = JSON.parse(json) as Record<string, unknown>;
      return [type, type === "approval.requested" ? requestData(data, limits, {}, at) : data];
    }),
  );
}

const callOf = (index: number) => ({ toolCallId: `call-${index}`, toolName: "shell" });
