import { anyText, type Check, either, flag, listOf, objectOf, oneOf, text, whole } from "../../options/checks.ts";
import { type OptionName, runOptions } from "../../options/run-options.ts";

/** What executes a task: an external agent, our own loop, a command, git, or a change of one file. */
export const taskKinds = ["agent", "agent_loop", "shell", "git", "file"] as const;

/** A kind of task. */
export type TaskKind = (typeof taskKinds)[number];

/** One field of a task's specification. */
export interface SpecField {
  check: Check;
  /** The kinds of task that take the field; all when absent. */
  kinds?: readonly TaskKind[];
  /** The kinds that need it. */
  requiredBy?: readonly TaskKind[];
  /** The option of a run that the field sets. */
  option?: OptionName;
  /** Converts the value to that of the option, and back. */
  convert?: { to(value: unknown): unknown; from(value: unknown): unknown };
}

const models: readonly TaskKind[] = ["agent", "agent_loop"];
const agents: readonly TaskKind[] = ["agent"];
const loops: readonly TaskKind[] = ["agent_loop"];
const commands: readonly TaskKind[] = ["shell", "git"];
const files: readonly TaskKind[] = ["file"];

/** A field that sets an option of the run, checked as that option is. */
const optionField = (option: OptionName, kinds: readonly TaskKind[], more: Partial<SpecField> = {}): SpecField => ({
  check: runOptions[option].check,
  option,
  kinds,
  ...more,
});

/** Every field of a specification, in the words of the HTTP interface. */
export const specFields = {
  kind: { check: oneOf(...taskKinds) },
  title: { check: text },
  priority: { check: wholeBetween(-1000, 1000) },
  workspace: {
    check: objectOf({
      mode: oneOf("in_place", "worktree", "clone"),
      path: text,
      repo: text,
      base: text,
      share: flag,
    }),
  },
  policy: { check: listOf(text) },
  timeout_ms: { check: whole(0), option: "timeout" },
  approve: { check: runOptions.approve.check, option: "approve" },
  prompt: optionField("prompt", models, { requiredBy: models }),
  history: { check: listOf(objectOf({ role: oneOf("user", "assistant"), text }, ["role", "text"])), kinds: loops },
  agent: optionField("agent", agents, { requiredBy: agents }),
  model: optionField("model", models),
  command: {
    check: either(text, listOf(anyText, "a command, or a list of its words")),
    kinds: commands,
    requiredBy: commands,
  },
  operation: { check: oneOf("write", "append", "delete"), kinds: files, requiredBy: files },
  path: { check: text, kinds: files, requiredBy: files },
  content: { check: anyText, kinds: files },
  budget_micros_usd: {
    check: whole(1),
    kinds: models,
    option: "budget",
    convert: { to: (micros) => Number(micros) / 1_000_000, from: (usd) => Math.round(Number(usd) * 1_000_000) },
  },
  budget_advisory: optionField("budgetAdvisory", models),
  on_reject: optionField("onReject", models),
  approval_timeout_ms: { check: whole(1), kinds: models },
  on_approval_timeout: { check: oneOf("reject", "cancel_run"), kinds: models },
  recover: { check: oneOf("fail", "resume"), kinds: models },
  sandbox: optionField("sandbox", loops),
  mcp_servers: optionField("mcpServers", models),
  max_turns: optionField("maxTurns", models),
  system_prompt: optionField("systemPrompt", models),
  system_prompt_mode: optionField("systemPromptMode", models),
  thinking_effort: optionField("thinkingEffort", models),
  thinking_budget_tokens: optionField("thinkingBudgetTokens", models),
  max_output_tokens: optionField("maxOutputTokens", models),
  record_thinking: { check: flag, kinds: models },
  record_tool_input: { check: flag, kinds: models },
  inactivity_timeout_ms: optionField("inactivityTimeout", agents),
  retry_policy: optionField("retryPolicy", agents),
  profile: optionField("profile", agents),
  skills: optionField("skills", agents),
  no_session: optionField("noSession", agents),
  stream: optionField("stream", agents),
  dialect: optionField("dialect", agents),
  agent_command: optionField("command", agents),
  environment_mode: optionField("environmentMode", agents),
  pass_env: { check: runOptions.passEnv.check, option: "passEnv", kinds: [...agents, ...commands] },
  env: { check: runOptions.env.check, option: "env", kinds: [...agents, ...commands] },
} as const satisfies Readonly<Record<string, SpecField>>;

export type SpecFieldName = keyof typeof specFields;

function wholeBetween(least: number, most: number): Check {
  const check: Check = (value, field) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? []
      : [{ field, message: `${field} must be a whole number from ${least} to ${most}.` }];
  return check;
}
