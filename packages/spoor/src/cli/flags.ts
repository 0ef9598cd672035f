import type { Ability } from "../agents/machine.ts";
import { CapabilityError, type Problem, type SpoorError, ValidationError } from "../failures/errors.ts";
import { fields } from "../options/fields.ts";
import type { RunOptions } from "../options/run-options.ts";

/** What is wrong, in the words of the command line: flags instead of the names of options inside. */
export function inFlags(error: SpoorError, argv: readonly string[]): string {
  if (error instanceof ValidationError) return error.problems.map(problemInFlags).join("\n");
  if (error instanceof CapabilityError) return `${error.message}${adviceOn(error.capability, argv)}`;
  return error.message;
}

/** The flag that sets each option of a run; undefined where the command line has none. */
export const flagOf: Readonly<Record<keyof RunOptions, string | undefined>> = {
  agent: undefined,
  prompt: undefined,
  profile: "--profile",
  systemPrompt: "--system",
  systemPromptMode: "--replace-system",
  attachments: "--attach",
  model: "--model",
  thinkingEffort: "--effort",
  thinkingBudgetTokens: undefined,
  maxOutputTokens: undefined,
  resume: "--resume",
  fork: "--fork",
  noSession: "--no-session",
  sessionId: "--resume",
  forkSessionId: "--fork",
  stream: "--stream",
  cwd: "--cwd",
  env: undefined,
  passEnv: "--env",
  environment: undefined,
  environmentMode: "--clean-env",
  timeout: "--timeout",
  inactivityTimeout: "--inactivity",
  gracePeriodMs: undefined,
  maxTurns: "--max-turns",
  approve: "--approve",
  approvalMode: "--approve",
  skills: undefined,
  mcpServers: "--mcp",
  retryPolicy: "--retries",
  runId: undefined,
  tags: undefined,
  collectEvents: undefined,
  dialect: "--dialect",
  command: "--command",
  onApprovalRequest: undefined,
  onInputRequired: undefined,
};

/** What an agent may be unable to do, where that is not an option of the same name. */
const optionOf: Readonly<Partial<Record<Ability | "onApprovalRequest" | "textStreaming", keyof RunOptions>>> = {
  systemPromptReplace: "systemPromptMode",
  remoteMcpServers: "mcpServers",
  sseMcpServers: "mcpServers",
  images: "attachments",
  imageUrls: "attachments",
  documents: "attachments",
  files: "attachments",
  onApprovalRequest: "approve",
  textStreaming: "stream",
};

function problemInFlags({ field, fields: several, message }: Problem): string {
  if (several) return several.reduce((text, name) => text.replace(name, flagFor(name) ?? name), message);
  // `passEnv[0]` is one value of a flag; what lies deeper stands in a file that the flag names.
  const whole = field.replace(/\[\d+\]$/, "");
  const flag = flagFor(/^\w+/.exec(field)?.[0] ?? "");
  if (flag === undefined) return message;
  return whole in flagOf && message.startsWith(field) ? `${flag}${message.slice(field.length)}` : `${flag}: ${message}`;
}

function adviceOn(capability: string, argv: readonly string[]): string {
  const option = optionOf[capability as keyof typeof optionOf] ?? capability;
  const flag = flagFor(option);
  if (flag === undefined) return "";
  if (argv.some((word) => word === flag || word.startsWith(`${flag}=`))) return ` Leave out ${flag}.`;
  const isShared = fields[option as keyof RunOptions]?.shared === true;
  return isShared ? ` A profile or configuration file sets \`${option}\`; ${flag} overrides it.` : "";
}

const flagFor = (name: string): string | undefined =>
  Object.hasOwn(flagOf, name) ? flagOf[name as keyof RunOptions] : undefined;
