import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Envelope } from "@spoor/protocol";
import { createUlidSource } from "@spoor/protocol/ids";
import type { RunEvent } from "../../src/runtime/commit.ts";
import { HEADLESS_MS, requestData } from "../../src/runtime/projections/approval-request.ts";
import type { Execution, Executor } from "../../src/runtime/queue/executor.ts";
import { endOfRun, openOwnRun } from "../../src/runtime/queue/own-run.ts";
import { parkRun } from "../../src/runtime/queue/park.ts";
import { createRedactor } from "../../src/runtime/redaction/index.ts";
import { envelopesOf } from "./temporary-log.ts";

/** One turn of the script in a prompt. A turn without a command is the answer, and ends the run. */
export interface ScriptedTurn {
  command?: string;
  /** Whether a person is asked about the command, or a rule blocks it. */
  gate?: "ask" | "block";
  expiresInMs?: number;
}

export const scriptOf = (...turns: ScriptedTurn[]): string => JSON.stringify(turns);

/**
 * A stand-in for a loop of our own: plays the script in the prompt of its task, really runs its commands, and goes on where the
 * stored events of the run end. It knows no model.
 */
export const createScriptedLoop = (): Executor => ({ name: "worker", execute });

const SESSION = "scripted-session";
const newApprovalId = createUlidSource({ prefix: "appr_" });

async function execute(execution: Execution): Promise<void> {
  const { log, claim, spec } = execution;
  const stored = await envelopesOf(log, claim.run.run_id);
  const own = openOwnRun(execution, createRedactor());
  const script = JSON.parse(String(spec.prompt)) as ScriptedTurn[];
  const skipped = (spec.continues?.turn ?? 1) - 1;
  let turn = stored.filter(({ type }) => type === "turn.started").length;
  if (!has(stored, "session.started")) await own.commit(opening(execution, script));
  const waiting = openCall(stored, turn);
  if (waiting) {
    await own.commit([["tool.started", waiting]]);
    await runCommand(execution, own, waiting, script[turn - 1 + skipped]?.command ?? "true");
    await own.commit(turnEnd(turn));
  }
  for (;;) {
    turn += 1;
    const { command, gate, expiresInMs = HEADLESS_MS } = script[turn - 1 + skipped] ?? {};
    await own.commit([["turn.started", { turn_index: turn, model: "scripted" }]]);
    if (command === undefined) break;
    const call = { tool_call_id: `call-${turn}`, tool_name: "shell", kind: "shell", turn_index: turn };
    await own.commit([
      tick(turn),
      ["assistant.tool_call_started", call],
      ["assistant.tool_call_proposed", { ...call, input: { command } }],
      ["tool.invoked", call],
      checkpoint(turn),
    ]);
    if (gate === "ask") return park(execution, own, call, command, expiresInMs);
    if (gate === "block") {
      await own.commit([["policy.tool_blocked", { ...call, reason: "block shell", policy_id: "user:1" }]]);
    } else {
      await own.commit([["tool.started", call]]);
      await runCommand(execution, own, call, command);
    }
    await own.commit(turnEnd(turn));
  }
  await own.commit([
    ["assistant.message_started", { turn_index: turn, block_index: 0 }],
    ["assistant.text_delta", { turn_index: turn, block_index: 0, delta: "Done." }],
    ["assistant.text_complete", { turn_index: turn, block_index: 0, text: "Done." }],
    tick(turn),
    ["assistant.final_answer", { turn_index: turn, summary: "Done." }],
    ...turnEnd(turn),
  ]);
  const end = { native_session_id: SESSION, turn_count: turn + skipped, cost_micros_usd: turn * COST, total_usd: 0 };
  await own.end([["session.ended", { ...end, input_tokens: 0, output_tokens: 0 }]], endOfRun("completed"));
}

type Own = ReturnType<typeof openOwnRun>;
type Call = Record<string, unknown>;

async function runCommand({ claim, signal, controls }: Execution, own: Own, call: Call, text: string): Promise<void> {
  const { tool_call_id } = call;
  const cwd = claim.run.workspace_path ?? "/";
  await own.commit([["tool.shell.command", { tool_call_id, command_string: text, cwd, sandbox_layer: "none" }]]);
  const child = spawn("sh", ["-c", text], { cwd, stdio: "ignore" });
  const kill = () => child.kill("SIGKILL");
  controls({ pause: () => {}, resume: () => {}, kill });
  signal.addEventListener("abort", kill);
  const [code] = await once(child, "exit");
  const exited = { tool_call_id, exit_code: code ?? -1, stdout_bytes: 0, stderr_bytes: 0, truncated: false };
  await own.commit([
    ["tool.shell.exited", exited],
    ["tool.completed", { ...call, output: "", duration_ms: 1, summary: "exit 0" }],
  ]);
}

async function park(execution: Execution, own: Own, call: Call, detail: string, expiresInMs: number): Promise<void> {
  const { kind: _, ...asked } = call;
  const request = { approval_id: newApprovalId(), kind: "agent_loop_tool_call", status: "pending", ...asked, detail };
  const { workspace_path: cwd } = execution.claim.run;
  await parkRun(own, [["approval.requested", requestData(request, { cwd, expiresInMs }, {}, Date.now())]]);
}

function opening({ spec }: Execution, script: readonly ScriptedTurn[]): RunEvent[] {
  const { mode, turn } = spec.continues ?? {};
  const prompt: RunEvent = ["user.message", { turn_index: 0, text: JSON.stringify(script), via: "prompt" }];
  const started = { native_session_id: SESSION, resumed: mode !== undefined };
  return [
    prompt,
    ["session.started", started],
    ...(turn === undefined
      ? []
      : [["session.resumed", { native_session_id: SESSION, prior_turn_count: turn - 1 }] as const]),
  ];
}

/** The call of the last turn that was approved and has not started. */
function openCall(stored: readonly Envelope[], turn: number): Call | undefined {
  const ofTurn = stored.filter(({ data }) => data.turn_index === turn);
  const invoked = ofTurn.find(({ type }) => type === "tool.invoked");
  return has(ofTurn, "tool.started") || has(ofTurn, "turn.completed") ? undefined : invoked?.data;
}

const has = (events: readonly Envelope[], type: string): boolean => events.some((each) => each.type === type);

const COST = 100;

const tick = (turn: number): RunEvent => [
  "cost.tick",
  {
    cumulative_input_tokens: turn,
    cumulative_output_tokens: turn,
    cumulative_cost_micros_usd: turn * COST,
    total_usd: (turn * COST) / 1e6,
    cost_source: "estimated",
  },
];

const checkpoint = (turn_index: number): RunEvent => [
  "run.checkpoint_saved",
  { checkpoint_id: `ckpt_${turn_index}`, turn_index },
];

const turnEnd = (turn_index: number): RunEvent[] => [
  ["turn.completed", { turn_index, cost_micros_usd: COST, total_usd: COST / 1e6, input_tokens: 0, output_tokens: 0 }],
  checkpoint(turn_index),
];
