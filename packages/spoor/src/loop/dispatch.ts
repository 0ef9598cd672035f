import type { Verdict } from "../runtime/policy/index.ts";
import type { AskingRule } from "../runtime/projections/approval-request.ts";
import { INTERRUPTED } from "../runtime/recovery/stored-run.ts";
import { callsOf, type StoredCall, type StoredTurn } from "./conversation.ts";
import type { LoopRun } from "./loop-run.ts";
import { type RunnableCall, refuseCall, runCall } from "./run-call.ts";
import type { ProposedCall } from "./signals.ts";
import { readInput } from "./tools/read-input.ts";
import type { LoopTool, ToolQuestion } from "./tools/tool.ts";

/** A call of the turn that has not ended. */
interface OpenCall extends ProposedCall {
  stored?: StoredCall;
}

/** The calls of a turn that goes on: they were proposed before the run was parked. */
export const openCalls = (turn: StoredTurn): OpenCall[] =>
  callsOf(turn)
    .filter(({ result }) => result === undefined)
    .map((stored) => ({ id: stored.id, name: stored.name, input: stored.input, stored }));

/**
 * Runs the calls of a turn. First all of them are checked and judged; then, if a person must decide about some, all of these
 * are asked and the run is parked, before any call has run. Otherwise the calls run one after the other, in their order.
 */
export async function dispatch(run: LoopRun, calls: readonly OpenCall[]): Promise<"done" | "parked"> {
  const runnable: RunnableCall[] = [];
  const asked: AskedCall[] = [];
  for (const call of calls) {
    const checked = check(run, call);
    if (typeof checked === "string") {
      refuseCall(run, call.id, checked, refusedBy(call));
      continue;
    }
    const { id, input } = call;
    const { approval, hasStarted = false } = call.stored ?? {};
    if (hasStarted || approval?.decision === "approved") {
      runnable.push({ id, tool: checked, input, hasStarted });
      continue;
    }
    const verdict = await run.gate.judge({ id, tool: checked, input, hook: call.stored?.hook });
    const ruled = { id, tool: checked, input, policy_id: verdict.policy_id };
    if (verdict.decision === "allow") runnable.push(ruled);
    else if (verdict.decision === "block") block(run, ruled, verdict);
    else if (holdsSecret(run, input)) refuseCall(run, id, SECRET);
    else asked.push({ ...ruled, verdict });
  }
  if (asked.length > 0) {
    await ask(run, asked);
    return "parked";
  }
  for (const call of runnable) {
    if (run.control.stopReason !== undefined) break;
    if ((await runCall(run, call)) === "waits") return "parked";
  }
  await run.record.flush();
  return "done";
}

const SECRET =
  "The arguments hold a secret. A person would have to allow this call, but secrets are not stored, so it could not run afterwards. Propose it again without the secret, for instance with the name of an environment variable.";

/** Returns the tool of a call that can run, or what the model is told about one that cannot. */
function check({ tools }: LoopRun, { name, input, problem, stored }: OpenCall): LoopTool | string {
  const { approval, isRedacted } = stored ?? {};
  if (approval && approval.decision !== "approved" && approval.decision !== undefined) {
    const { by = "Nobody", comment } = approval;
    const who = by === "deadline" ? "Nobody answered in time." : `${by} rejected this call.`;
    return comment === undefined || by === "deadline" ? who : `${who} ${comment}`;
  }
  if (stored?.hasStarted && !tools.get(name)?.goesOn) return INTERRUPTED;
  if (isRedacted) return SECRET;
  if (problem !== undefined) return problem;
  const tool = tools.get(name);
  if (!tool) return `There is no tool ${name}. The tools are: ${[...tools.keys()].join(", ")}.`;
  const read = readInput(tool, input);
  return "error" in read ? read.error : tool;
}

const refusedBy = ({ stored }: OpenCall) => (stored?.approval ? ("cancelled" as const) : undefined);

function block(run: LoopRun, { id }: RunnableCall, { policy_id, reason }: Verdict): void {
  run.record.write((writer, at) => writer.judged(id, policy_id, false, at));
  refuseCall(run, id, reason, "blocked");
}

/** A secret that the record replaces cannot be read back when the answer comes. */
function holdsSecret({ record }: LoopRun, input: unknown): boolean {
  const text = JSON.stringify(input) ?? "";
  return record.recorder.redact(text) !== text;
}

interface AskedCall extends RunnableCall {
  verdict: Verdict;
}

/** Asks about all calls in one commit, which also gives the worker back: the run waits without a process. */
async function ask(run: LoopRun, calls: readonly AskedCall[]): Promise<void> {
  const { record } = run;
  const questions = await Promise.all(calls.map((call) => questionOf(run, call)));
  await record.flush();
  calls.forEach(({ id, tool, input, verdict }, index) => {
    const { summary, detail, diff } = questions[index] as ToolQuestion;
    record.tell(
      [
        {
          kind: "ask",
          ...{ id: `ask-${id}`, action: summary, detail, risk: riskOf(tool) },
          ...(diff !== undefined && { diff }),
          tool: { id, name: tool.name, toolKind: tool.kind, input, ...(tool.mcp && { mcp: tool.mcp }) },
        },
      ],
      {
        fields: { "approval.requested": { kind: "agent_loop_tool_call", summary } },
        onEvent(event) {
          if (event.type !== "approval_request") return;
          record.write((writer) => writer.askedBy(event.interactionId, askingRule(verdict)));
        },
      },
    );
  });
  await record.flush();
}

const askingRule = ({ rule, policy_id, reason }: Verdict): AskingRule => ({
  ...(rule && rule.source !== "default" && { rule: rule.text }),
  policy_id,
  policy_reason: reason,
});

async function questionOf({ root, environment }: LoopRun, { tool, input }: AskedCall): Promise<ToolQuestion> {
  const plain = { summary: tool.name, detail: JSON.stringify(input) };
  return (await tool.describe?.(input as never, { root, environment }).catch(() => plain)) ?? plain;
}

const riskOf = ({ effect, kind }: LoopTool): "low" | "medium" | "high" => {
  if (effect === "read") return "low";
  return kind === "shell" || kind === "mcp" ? "high" : "medium";
};
