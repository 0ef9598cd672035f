import type { Verdict } from "../runtime/policy/index.ts";
import { type Policy, preparePolicy, withHooks } from "../runtime/policy/index.ts";
import type { Execution } from "../runtime/queue/executor.ts";
import { writeInTurn } from "../runtime/recorder/opening.ts";
import type { LoopRecord } from "./record.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { LoopTool } from "./tools/tool.ts";

/** A call that could run. */
export interface GatedCall {
  id: string;
  tool: LoopTool;
  input: unknown;
  /** What the user's hooks decided about the call before this process took up the run. */
  hook?: string | undefined;
}

/** Decides about calls: the rules first, then the user's hooks. */
export class CallGate {
  readonly #policy: () => Promise<Policy>;
  readonly #execution: Execution;
  readonly #record: () => LoopRecord;
  readonly #layer: Sandbox["layer"];
  readonly #root: string;

  /** Reads the rules now, so that no call of the run can change them. */
  constructor(
    execution: Execution,
    { root, layer, record }: { root: string; layer: Sandbox["layer"]; record: () => LoopRecord },
  ) {
    const { directory, spec } = execution;
    const yolo = spec.approve === "auto" || spec.approve === "yolo";
    this.#policy = preparePolicy({ directory, cwd: root, yolo, ...(spec.policy && { task: spec.policy }) });
    this.#execution = execution;
    this.#record = record;
    this.#layer = layer;
    this.#root = root;
  }

  async judge(call: GatedCall): Promise<Verdict> {
    const verdict = await this.#askHooks(call, this.#withoutSandbox(call, await this.#byRules(call)));
    if (verdict.decision !== "ask" || this.#execution.spec.approve !== "deny") return verdict;
    return { ...verdict, decision: "block", reason: `Nobody is asked in this run. ${verdict.reason}` };
  }

  /** The strictest verdict counts. */
  async #byRules({ tool, input }: GatedCall): Promise<Verdict> {
    const policy = await this.#policy();
    const { agent } = this.#execution.claim.run;
    const actions = tool.actions(input as never, { root: this.#root });
    const verdicts = actions.map((action) => policy.decide({ agent, tool: tool.name, ...action }));
    return verdicts.toSorted((a, b) => strictness[b.decision] - strictness[a.decision])[0] ?? harmless;
  }

  /** Where no sandbox holds commands, a person is asked about each, unless a rule allows it or the task waives it. */
  #withoutSandbox({ tool }: GatedCall, verdict: Verdict): Verdict {
    const isByRule = verdict.rule !== undefined && verdict.rule.source !== "default";
    const isWaived = this.#execution.spec.sandbox === "none";
    if (tool.kind !== "shell" || this.#layer !== "none" || verdict.decision !== "allow" || isByRule || isWaived) {
      return verdict;
    }
    const reason = "No sandbox works here, so a person is asked about every command.";
    return { ...verdict, decision: "ask", policy_id: "sandbox:none", reason };
  }

  /** Hooks get the call as it is stored. They are not asked about what a rule blocks, nor a second time. */
  async #askHooks({ id, tool, hook }: GatedCall, verdict: Verdict): Promise<Verdict> {
    const record = this.#record();
    const { hooks } = record.recorder;
    if (!hooks || verdict.decision === "block") return verdict;
    if (hook === "allow" || hook === "ask") return withHooks(verdict, { decision: hook, reason: "", outcomes: [] });
    await record.flush();
    const { run_id } = this.#execution.claim.run;
    const answer = await hooks.before({ run_id, tool_call_id: id, tool_name: tool.name });
    if (!answer) return verdict;
    record.write((writer, at) => writeInTurn(writer, answer.events, at));
    return withHooks(verdict, { ...answer, outcomes: [] });
  }
}

const strictness = { allow: 0, ask: 1, block: 2 } as const;

/** A call without actions touches nothing. */
const harmless: Verdict = {
  decision: "allow",
  policy_id: "default:allow",
  reason: "The call touches nothing outside the run.",
  parts: [],
};
