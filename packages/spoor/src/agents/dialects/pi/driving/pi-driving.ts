import { omitUndefined } from "../../../kit/omit-undefined.ts";
import type { Ability, LaunchRequest, LiveDialect } from "../../../machine.ts";
import { createPiDriver } from "./pi-driver.ts";

/** In what agents differ that are run over this wire. */
export interface PiAgent extends Pick<LiveDialect, "command" | "refuses" | "unasked" | "deny"> {
  /** What it takes beyond what all of them do. */
  takes?: readonly Ability[];
  args?: readonly string[];
  /** Arguments for whether it is to ask. */
  asking?: Readonly<Record<LaunchRequest["approve"], readonly string[]>>;
  resumeFlag: string;
  /** The provider of a model has a flag of its own. */
  providerFlag?: string;
  /** All the tools it has where nothing is allowed: those that change nothing. Absent: it asks, and is refused. */
  readingTools?: string;
  allow: readonly string[];
  /** Frames to write before the prompt. */
  first?: readonly object[];
}

/** An agent of this wire as a process that is talked to over its standard input. */
export function createPiLive({ takes = [], args = [], allow, first, ...agent }: PiAgent): LiveDialect {
  const { command, refuses, unasked, deny } = agent;
  return {
    command,
    takes: [...common, ...takes],
    ...omitUndefined({ refuses, unasked, deny }),
    launch: (request) => ({
      args: ["--mode", "rpc", ...args, ...argsOf(request, agent)],
      allow: [...allow, ...providers],
      stdin: "pipe",
    }),
    createDriver: (request) => createPiDriver(request, first),
  };
}

const common = [
  ...(["model", "systemPrompt", "systemPromptReplace", "resume", "fork", "noSession"] as const),
  ...(["thinkingEffort", "images"] as const),
];

const providers = "ANTHROPIC_* OPENAI_* GEMINI_* GOOGLE_* OPENROUTER_* DEEPSEEK_* GROQ_* XAI_*".split(" ");

type Flags = Pick<PiAgent, "asking" | "resumeFlag" | "providerFlag" | "readingTools">;

function argsOf(request: LaunchRequest, agent: Flags): string[] {
  const { model, systemPrompt, systemPromptMode, resume, fork, noSession, approve } = request;
  const { thinkingEffort, skills = [] } = request;
  const promptFlag = systemPromptMode === "replace" ? "--system-prompt" : "--append-system-prompt";
  return [
    ...(agent.asking?.[approve] ?? []),
    ...(model === undefined ? [] : modelArgs(model, agent.providerFlag)),
    ...(systemPrompt === undefined ? [] : [promptFlag, systemPrompt]),
    ...(resume === undefined ? [] : [agent.resumeFlag, resume]),
    ...(fork === undefined ? [] : ["--fork", fork]),
    ...(noSession ? ["--no-session"] : []),
    ...(thinkingEffort === undefined ? [] : ["--thinking", thinkingEffort]),
    ...skills.flatMap((skill) => ["--skill", skill]),
    ...(approve === "deny" && agent.readingTools !== undefined ? ["--tools", agent.readingTools] : []),
  ];
}

/** `provider/model`, or a model alone. */
function modelArgs(model: string, providerFlag: string | undefined): string[] {
  const slash = model.indexOf("/");
  if (slash < 0 || providerFlag === undefined) return ["--model", model];
  return [providerFlag, model.slice(0, slash), "--model", model.slice(slash + 1)];
}
