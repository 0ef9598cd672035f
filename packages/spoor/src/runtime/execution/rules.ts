import { prefixed } from "@spoor/protocol/ids";
import type { HeldQuestion } from "../../assemble/interactions.ts";
import type { QuestionVerdict, RunStart } from "../../run/observer.ts";
import { judgeQuestion } from "../approvals/gate.ts";
import { preparePolicy, type Verdict } from "../policy/index.ts";
import { writeInTurn } from "../recorder/opening.ts";
import type { Recorder } from "../recorder/recorder.ts";

/** Which rules hold for a run. */
export interface RuleOptions {
  /** The data directory, which holds the user's rules. */
  directory: string;
  /** The rules of the task. */
  task?: readonly string[];
}

/** Decides about the questions of a run's agent. */
export type Judge = (question: HeldQuestion) => Promise<QuestionVerdict>;

/**
 * Reads the rules now, so that the agent cannot change them, and returns what decides about its questions. What a rule
 * allowed is durable as `tool.started` before the agent hears of it. Without a recorder nothing is stored.
 */
export function createJudge({ directory, task }: RuleOptions, start: RunStart, recorder?: Recorder): Judge {
  const { agent, request, isHeld: isYolo = false } = start;
  const place = { agent, cwd: request.cwd };
  const load = preparePolicy({ directory, cwd: request.cwd, yolo: isYolo, ...(task && { task }) });
  return async (question) => {
    const ruled = judgeQuestion(await load(), question, place, isYolo);
    const verdict = recorder ? await askHooks(recorder, question, ruled) : ruled;
    await store(recorder, question, verdict);
    return { decision: verdict.decision, ...(verdict.decision === "block" && { reason: verdict.reason }) };
  };
}

/** Hooks get the call as it is stored. They are not asked about what a rule blocks, since they cannot loosen it. */
async function askHooks(recorder: Recorder, question: HeldQuestion, verdict: Verdict): Promise<Verdict> {
  const { runId, interactionId, toolCallId, tool } = question;
  if (!recorder.hooks || verdict.decision === "block") return verdict;
  // A question that names no call finds none in the log, so that a person is asked.
  const tool_call_id = toolCallId ?? tool?.id ?? interactionId;
  await recorder.written();
  const run_id = prefixed("run", runId);
  const answer = await recorder.hooks.before({ run_id, tool_call_id, tool_name: tool?.name ?? "" });
  if (!answer) return verdict;
  recorder.write(run_id, (writer, at) => writeInTurn(writer, answer.events, at));
  const { withHooks } = await import("../policy/hooks.ts");
  const joined = withHooks(verdict, { ...answer, outcomes: [] });
  // No rule and no hook allows what Spoor itself protects.
  return question.isProtected && joined.decision === "allow" ? verdict : joined;
}

const HOOK = "hook:PreToolUse";

async function store(recorder: Recorder | undefined, question: HeldQuestion, verdict: Verdict): Promise<void> {
  const { runId, interactionId, toolCallId } = question;
  const { decision, policy_id, reason, rule } = verdict;
  recorder?.write(prefixed("run", runId), (writer, at) => {
    if (decision !== "ask" && toolCallId !== undefined) writer.judged(toolCallId, policy_id, decision === "allow", at);
    const isByRule = rule !== undefined && rule.source !== "default";
    if (decision === "ask" && (isByRule || policy_id === HOOK)) {
      const asking = { ...(isByRule && policy_id !== HOOK && { rule: rule.text }), policy_id, policy_reason: reason };
      writer.askedBy(interactionId, asking);
    }
  });
  await recorder?.written();
}
