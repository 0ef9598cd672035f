import type { EnvelopeData, EnvelopeType } from "../../src/envelope/catalog.ts";
import { createUlidSource, prefixed } from "../../src/envelope/ids.ts";
import { createEnvelopeWriter, instant } from "../../src/mapping/write.ts";

/** One event of a lifecycle before it is stored. */
export type Step = { [T in EnvelopeType]: readonly [type: T, data: EnvelopeData<T>] }[EnvelopeType];

const RUN = "01K9ZC0000SP00R00000000000";
const START = Date.UTC(2026, 10, 2, 9, 0, 0);
const SESSION = "5f2c1c1e-0000-4000-8000-000000000001";
const EARLIER = "run_01K9ZC0000EAR11ER000000000";
export const APPROVAL = "appr_01K9ZC0000APPR0VA000000001";

/** Returns the JSON lines of a stored run with these events. Deterministic. */
export function stored(steps: readonly Step[]): string[] {
  let now = START;
  const ulid = createUlidSource({ now: () => now, random: () => 0.5 });
  const write = createEnvelopeWriter({ run_id: `run_${RUN}`, task_id: `task_${RUN}` });
  return steps.map(([type, data], sequence) => {
    now += 10;
    return write({ type, timestamp: now, json: JSON.stringify(data) }, prefixed("event", ulid()), sequence);
  });
}

export const created = (data: EnvelopeData<"run.created"> = {}): Step => [
  "run.created",
  { kind: "agent_loop", agent: "spoor", status: "queued", spec: { prompt: "Fix it." }, ...data },
];
export const queued = (data: EnvelopeData<"run.queued"> = {}): Step => ["run.queued", { kind: "agent_loop", ...data }];
export const started = (data: EnvelopeData<"run.started"> = {}): Step => [
  "run.started",
  { worker_id: "worker-1", lease_until: instant(START + 30_000), executor: "worker", attempt: 1, ...data },
];
export const prompt = (text = "Fix it."): Step => ["user.message", { turn_index: 0, text, via: "prompt" }];
export const session = (data: Partial<EnvelopeData<"session.started">> = {}): Step => [
  "session.started",
  { native_session_id: SESSION, resumed: false, ...data },
];
export const resumedSession = (prior_turn_count: number): Step => [
  "session.resumed",
  { native_session_id: SESSION, prior_turn_count },
];
export const forkedSession = (forked_from: string): Step => [
  "session.forked",
  { native_session_id: SESSION, forked_from },
];
export const sessionEnd = (turn_count: number): Step => [
  "session.ended",
  {
    native_session_id: SESSION,
    turn_count,
    total_usd: 0.0124,
    cost_micros_usd: 12_400,
    input_tokens: 0,
    output_tokens: 0,
  },
];
export const taskUpdated: Step = ["task.updated", {}];

/** A run that is waiting in the queue, and one that has just begun to work. */
export const inQueue: readonly Step[] = [created(), queued()];
export const begun: readonly Step[] = [...inQueue, started(), prompt(), session()];
export const resumedFrom = (data: Partial<EnvelopeData<"run.resumed_from_event">> = {}): readonly Step[] => [
  created({ prior_run_id: EARLIER }),
  ["run.resumed_from_event", { from_run_id: EARLIER, from_sequence: 40, prior_cost_micros_usd: 8_900, ...data }],
  queued({ prior_run_id: EARLIER }),
  started({ resume_from_run_id: EARLIER, resume_from_step_id: "turn-2", resume_from_event_sequence: 40 }),
];

export const turnStart = (turn_index: number): Step => ["turn.started", { turn_index, model: "demo" }];
export const text = (turn_index: number, said: string): readonly Step[] => [
  ["assistant.message_started", { turn_index, block_index: 0 }],
  ["assistant.text_delta", { turn_index, block_index: 0, delta: said }],
  ["assistant.text_complete", { turn_index, block_index: 0, text: said }],
];
export const tick = (micros: number): Step => [
  "cost.tick",
  {
    cumulative_input_tokens: micros,
    cumulative_output_tokens: 10,
    cumulative_cost_micros_usd: micros,
    total_usd: micros / 1e6,
    cost_source: "estimated",
  },
];
export const turnEnd = (turn_index: number): Step => [
  "turn.completed",
  {
    turn_index,
    cost_micros_usd: 4_120,
    total_usd: 0.00412,
    input_tokens: 0,
    output_tokens: 0,
    step_id: `turn-${turn_index}`,
  },
];
export const checkpoint = (turn_index: number): Step => [
  "run.checkpoint_saved",
  {
    checkpoint_id: `ckpt_${turn_index}`,
    turn_index,
    tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    provider_state: "a1b2",
  },
];

/** The last turn of a run that completes. */
export const answer = (turn_index: number, turns = turn_index): readonly Step[] => [
  turnStart(turn_index),
  ...text(turn_index, "Done."),
  tick(8_240),
  ["assistant.final_answer", { turn_index, summary: "Done." }],
  turnEnd(turn_index),
  checkpoint(turn_index),
  sessionEnd(turns),
  ["run.finished", { final_status: "completed", status: "completed", error: "", turns: turn_index }],
  taskUpdated,
];

const call = (turn_index: number) => ({ tool_call_id: "call_1", tool_name: "shell", kind: "shell", turn_index });

/** The model proposes a command. */
export const proposed = (turn_index: number): readonly Step[] => [
  turnStart(turn_index),
  tick(4_120),
  ["assistant.tool_call_started", call(turn_index)],
  ["assistant.tool_call_proposed", { ...call(turn_index), input: { command: "make" } }],
  ["tool.invoked", call(turn_index)],
  checkpoint(turn_index),
];
export const commandStart = (turn_index: number): readonly Step[] => [
  ["tool.started", call(turn_index)],
  ["tool.shell.command", { tool_call_id: "call_1", command_string: "make", cwd: "/w", sandbox_layer: "none" }],
];
export const exited = (exit_code: number): Step => [
  "tool.shell.exited",
  { tool_call_id: "call_1", exit_code, stdout_bytes: 3, stderr_bytes: 0, truncated: false },
];
export const commandEnd = (turn_index: number): readonly Step[] => [
  ["tool.shell.output_chunk", { tool_call_id: "call_1", stream: "stdout", data: "ok\n", byte_offset: 0 }],
  exited(0),
  ["tool.completed", { ...call(turn_index), output: "ok\n", duration_ms: 40, summary: "exited with status 0" }],
];
export const cancelledCall = (turn_index: number, error: string): Step => [
  "tool.cancelled",
  { ...call(turn_index), error },
];
export const failedCall = (turn_index: number, error: string): Step => ["tool.failed", { ...call(turn_index), error }];
export const blockedCall = (turn_index: number): Step => [
  "policy.tool_blocked",
  { ...call(turn_index), reason: "block shell make", policy_id: "user:3" },
];

export const asked = (turn_index?: number): Step => [
  "approval.requested",
  {
    approval_id: APPROVAL,
    kind: turn_index === undefined ? "task" : "agent_loop_tool_call",
    status: "pending",
    ...(turn_index !== undefined && { tool_call_id: "call_1", tool_name: "shell", turn_index }),
    detail: "make",
    cwd: "/w",
    rule: "ask shell **",
    action_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    expires_at: instant(START + 3_600_000),
    default_action: "reject",
  },
];
type Decision = EnvelopeData<"approval.resolved">["decision"];
export const resolved = (
  decision: Decision,
  kind: EnvelopeData<"approval.resolved">["kind"] = "agent_loop_tool_call",
): Step => [
  "approval.resolved",
  { approval_id: APPROVAL, decision, status: decision, by: "operator", scope: "once", ...(kind && { kind }) },
];
export const fatal = (code: string, message: string): Step => ["error.reported", { code, message, recoverable: false }];
export const failed = (code: string, message: string): Step => [
  "run.failed",
  { code, message, retriable: code === "approval_timed_out", status: "failed", error: message },
];
export const cancelled: Step = ["run.cancelled", { reason: "No longer needed.", by: "operator" }];
