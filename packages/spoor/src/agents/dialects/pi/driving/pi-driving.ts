import { omitUndefined } from "../../../kit/omit-undefined.ts";
import type { Ability, LaunchRequest, LiveDialect } from "../../../machine.ts";
import { createPiDriver } from "./pi-driver.ts";

/** The differences between agents that are run in this dialect. */
export interface PiAgent extends Pick<LiveDialect, "command" | "refuses" | "askWarning" | "deny"> {
  /** Options that the agent supports beyond the common ones. */
  takes?: readonly Ability[];
  args?: readonly string[];
  /** Arguments for each value of `--approve`. */
  approveArguments?: Readonly<Record<LaunchRequest["approve"], readonly string[]>>;
  resumeFlag: string;
  /** The flag for the model's provider, if it is separate. */
  providerFlag?: string;
  /**
   * The tools that change nothing; with `--approve deny` the agent has only these. Absent: the agent asks, and Spoor
   * refuses.
   */
  readOnlyTools?: string;
  allow: readonly string[];
  /** Frames to write before the prompt. */
  openingFrames?: readonly object[];
}

/** Runs an agent of this dialect as a process that reads its standard input. */
export function createPiLive({ takes = [], args = [], allow, openingFrames, ...agent }: PiAgent): LiveDialect {
  const { command, refuses, askWarning, deny } = agent;
  return {
    command,
    takes: [...common, ...takes],
    ...omitUndefined({ refuses, askWarning, deny }),
    launch: (request) => ({
      args: ["--mode", "rpc", ...args, ...argsOf(request, agent)],
      allow: [...allow, ...providers],
      stdin: "pipe",
    }),
    createDriver: (request) => createPiDriver(request, openingFrames),
  };
}

const common = [
  ...(["model", "systemPrompt", "systemPromptReplace", "resume", "fork", "noSession"] as const),
  ...(["thinkingEffort", "images"] as const),
];

const providers = "ANTHROPIC_* OPENAI_* GEMINI_* GOOGLE_* OPENROUTER_* DEEPSEEK_* GROQ_* XAI_*".split(" ");

type Flags = Pick<PiAgent, "approveArguments" | "resumeFlag" | "providerFlag" | "readOnlyTools">;

function argsOf(request: LaunchRequest, agent: Flags): string[] {
  const { model, systemPrompt, systemPromptMode, resume, fork, noSession, approve } = request;
  const { thinkingEffort, skills = [] } = request;
  const promptFlag = systemPromptMode === "replace" ? "--system-prompt" : "--append-system-prompt";
  return [
    ...(agent.approveArguments?.[approve] ?? []),
    ...(model === undefined ? [] : modelArgs(model, agent.providerFlag)),
    ...(systemPrompt === undefined ? [] : [promptFlag, systemPrompt]),
    ...(resume === undefined ? [] : [agent.resumeFlag, resume]),
    ...(fork === undefined ? [] : ["--fork", fork]),
    ...(noSession ? ["--no-session"] : []),
    ...(thinkingEffort === undefined ? [] : ["--thinking", thinkingEffort]),
    ...skills.flatMap((skill) => ["--skill", skill]),
    ...(approve === "deny" && agent.readOnlyTools !== undefined ? ["--tools", agent.readOnlyTools] : []),
  ];
}

/** A model may be given as `provider/model` or as a name alone. */
function modelArgs(model: string, providerFlag: string | undefined): string[] {
  const slash = model.indexOf("/");
  if (slash < 0 || providerFlag === undefined) return ["--model", model];
  return [providerFlag, model.slice(0, slash), "--model", model.slice(slash + 1)];
}
