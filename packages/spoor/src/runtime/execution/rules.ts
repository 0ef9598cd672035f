import { prefixed } from "@spoor/protocol/ids";
import type { HeldQuestion } from "../../assemble/interactions.ts";
import type { QuestionVerdict, RunStart } from "../../run/observer.ts";
import { judgeQuestion } from "../approvals/gate.ts";
import { preparePolicy, type Verdict } from "../policy/index.ts";
import type { Recorder } from "../recorder/recorder.ts";

/** Which rules hold for a run. */
export interface RuleOptions {
  /** The data directory, which holds the user's rules. */
  directory: string;
  /** The rules of the task. */
  task?: readonly string[];
  /** Nobody is asked: what no rule blocks is allowed. */
  isYolo?: boolean;
}

/** Decides about the questions of a run's agent. */
export type Judge = (question: HeldQuestion) => Promise<QuestionVerdict>;

/**
 * Reads the rules now, so that the agent cannot change them, and returns what decides about its questions. What a rule
 * allowed is durable as `tool.started` before the agent hears of it. Without a recorder nothing is stored.
 */
export function createJudge(
  { directory, task, isYolo = false }: RuleOptions,
  start: RunStart,
  recorder?: Recorder,
): Judge {
  const { agent, request } = start;
  const place = { agent, cwd: request.cwd };
  const load = preparePolicy({ directory, cwd: request.cwd, yolo: isYolo, ...(task && { task }) });
  return async (question) => {
    const verdict = judgeQuestion(await load(), question, place, isYolo);
    await store(recorder, question, verdict);
    return { decision: verdict.decision, ...(verdict.decision === "block" && { reason: verdict.reason }) };
  };
}

async function store(recorder: Recorder | undefined, question: HeldQuestion, verdict: Verdict): Promise<void> {
  const { runId, interactionId, toolCallId } = question;
  const { decision, policy_id, reason, rule } = verdict;
  recorder?.write(prefixed("run", runId), (writer, at) => {
    if (decision !== "ask" && toolCallId !== undefined) writer.judged(toolCallId, policy_id, decision === "allow", at);
    if (decision === "ask" && rule && rule.source !== "default") {
      writer.askedBy(interactionId, { rule: rule.text, policy_id, policy_reason: reason });
    }
  });
  await recorder?.written();
}
