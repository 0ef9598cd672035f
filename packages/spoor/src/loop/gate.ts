import { isIP } from "node:net";
import { refusalOfAddress } from "../runtime/policy/addresses.ts";
import { isLoopback, readAddress } from "../runtime/policy/hosts.ts";
import { type Policy, type PolicyAction, preparePolicy, type Verdict, withHooks } from "../runtime/policy/index.ts";
import type { Execution } from "../runtime/queue/executor.ts";
import { writeInTurn } from "../runtime/recorder/opening.ts";
import type { LoopRecord } from "./record.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { LoopTool, ToolPlace } from "./tools/tool.ts";

/** A call that could run. */
export interface GatedCall {
  id: string;
  tool: LoopTool;
  input: unknown;
  /** What the user's hooks decided about the call before this process took up the run. */
  hook?: string | undefined;
}

/** What a gate works with. */
export interface GateOptions {
  execution: Execution;
  record: LoopRecord;
  place: ToolPlace;
  openSandbox(): Promise<Sandbox>;
}

/** Decides about calls: the rules first, then the sandbox and the tool itself, then the user's hooks. */
export class CallGate {
  readonly #options: GateOptions;
  readonly #policy: Policy;
  #sandbox: Promise<Sandbox> | undefined;

  private constructor(options: GateOptions, policy: Policy) {
    this.#options = options;
    this.#policy = policy;
  }

  /** Reads the rules now, so that no call of the run can change them. */
  static async open(options: GateOptions): Promise<CallGate> {
    const { directory, spec } = options.execution;
    const rules = {
      directory,
      cwd: options.place.root,
      yolo: isYolo(options),
      ...(spec.policy && { task: spec.policy }),
    };
    return new CallGate(options, await preparePolicy(rules)());
  }

  /** The sandbox of the run, which is opened once. If it does not hold commands as it should, the run says why. */
  sandbox(): Promise<Sandbox> {
    this.#sandbox ??= this.#options.openSandbox().then((sandbox) => {
      const { reason: message } = sandbox;
      if (message !== undefined) this.#options.record.own([["debug.message", { level: "warn", message }]]);
      return sandbox;
    });
    return this.#sandbox;
  }

  async close(): Promise<void> {
    (await this.#sandbox?.catch(() => undefined))?.close();
  }

  /** What the rules say about one action. */
  decide(action: PolicyAction): Verdict {
    const { agent } = this.#options.execution.claim.run;
    return this.#policy.decide({ agent, ...action });
  }

  /** What is to be done with a call. */
  async judge(call: GatedCall): Promise<Verdict> {
    const ruled = this.#byTool(call, await this.#bySandbox(call, this.#byRules(call)));
    const verdict = await this.#askHooks(call, ruled);
    if (verdict.decision !== "ask" || this.#options.execution.spec.approve !== "deny") return verdict;
    return { ...verdict, decision: "block", reason: `Nobody is asked in this run. ${verdict.reason}` };
  }

  /** The strictest verdict counts. */
  #byRules({ tool, input }: GatedCall): Verdict {
    const actions = tool.actions(input as never, this.#options.place);
    const verdicts = actions.map((action) => withoutPrivate(action, this.decide({ tool: tool.name, ...action })));
    return verdicts.toSorted((a, b) => strictness[b.decision] - strictness[a.decision])[0] ?? harmless;
  }

  /** Where no sandbox holds commands, a person is asked about each, unless the user waived it. */
  async #bySandbox({ tool }: GatedCall, verdict: Verdict): Promise<Verdict> {
    if (!tool.held || verdict.decision !== "allow" || !(await this.sandbox()).asks) return verdict;
    const reason = "No sandbox works here, so a person is asked about every command.";
    return { ...verdict, decision: "ask", policy_id: "sandbox:none", reason };
  }

  #byTool({ tool, input }: GatedCall, verdict: Verdict): Verdict {
    const reason = verdict.decision === "allow" && !isYolo(this.#options) ? tool.mustAsk?.(input as never) : undefined;
    return reason === undefined ? verdict : { ...verdict, decision: "ask", policy_id: "tool:ask", reason };
  }

  /** Hooks get the call as it is stored. They are not asked about what a rule blocks, nor a second time. */
  async #askHooks({ id, tool, hook }: GatedCall, verdict: Verdict): Promise<Verdict> {
    const { record, execution } = this.#options;
    const { hooks } = record.recorder;
    if (!hooks || verdict.decision === "block") return verdict;
    if (hook === "allow" || hook === "ask") return withHooks(verdict, { decision: hook, reason: "", outcomes: [] });
    await record.flush();
    const { run_id } = execution.claim.run;
    const answer = await hooks.before({ run_id, tool_call_id: id, tool_name: tool.name });
    if (!answer) return verdict;
    record.write((writer, at) => writeInTurn(writer, answer.events, at));
    return withHooks(verdict, { ...answer, outcomes: [] });
  }
}

const isYolo = ({ execution: { spec } }: GateOptions): boolean => spec.approve === "auto" || spec.approve === "yolo";

/**
 * A run that approves everything does not open this machine and private networks: a command that reaches one host reaches all,
 * also Spoor's own server. A rule must allow such a host.
 */
function withoutPrivate(action: PolicyAction, verdict: Verdict): Verdict {
  if (action.subject !== "host" || verdict.policy_id !== "default:yolo") return verdict;
  const host = readAddress(action.host)?.host;
  const isPublic = host !== undefined && !isLoopback(host) && (isIP(host) === 0 || !refusalOfAddress(host));
  if (isPublic) return verdict;
  const reason = `${JSON.stringify(action.host)} is not a public host, so a rule must allow it: allow host <its name>`;
  return { ...verdict, decision: "block", policy_id: "default:private", reason };
}

const strictness = { allow: 0, ask: 1, block: 2 } as const;

/** A call without actions touches nothing. */
const harmless: Verdict = {
  decision: "allow",
  policy_id: "default:allow",
  reason: "The call touches nothing outside the run.",
  parts: [],
};
