import type { ToolKind } from "@spoor/protocol";
import type { McpTool, Signal, ToolEnd } from "../signal.ts";
import { asObject, asText } from "./json-values.ts";
import { lookUp } from "./look-up.ts";
import { omitUndefined } from "./omit-undefined.ts";

/** A tool by the agent's name, with its kind. */
export interface Tool {
  name: string;
  toolKind: ToolKind;
  mcp?: McpTool;
}

/** One call of a tool. */
export interface ToolCall extends Tool {
  id: string;
  input: unknown;
}

/** Tool kinds by tool name. */
export type ToolKinds = Readonly<Record<string, ToolKind>>;

/**
 * A table of tool kinds by tool name, from the names of each kind.
 *
 * @example
 * const kinds = toolKindsByName({ shell: ["bash"], edit: ["edit", "replace"] }); // { bash: "shell", edit: "edit", replace: "edit" }
 */
export const toolKindsByName = (names: Partial<Record<ToolKind, readonly string[]>>): ToolKinds =>
  Object.fromEntries(
    Object.entries(names).flatMap(([kind, ofKind]) => ofKind.map((name) => [name, kind as ToolKind] as const)),
  );

/**
 * The tool of this name. `mcpName` has the groups `server` and `tool`. A tool that is in no table is `other`.
 *
 * @example
 * toolByName("bash", { bash: "shell" }); // { name: "bash", toolKind: "shell" }
 * toolByName("mcp__notes__add", {}, /^mcp__(?<server>.+?)__(?<tool>.+)$/).mcp; // { server: "notes", tool: "add" }
 */
export function toolByName(name: string, kinds: ToolKinds, mcpName?: RegExp): Tool {
  const { server, tool } = mcpName?.exec(name)?.groups ?? {};
  if (server && tool) return { name, toolKind: "mcp", mcp: { server, tool } };
  return { name, toolKind: lookUp(kinds, name) ?? "other" };
}

/** The fields of the call that belong into a signal, without the reader's own state. */
export const toolCallFields = ({ id, name, toolKind, input, mcp }: ToolCall): ToolCall => ({
  ...{ id, name, toolKind, input },
  ...(mcp && { mcp }),
});

/**
 * The command of a call that runs one; `field` is the input field that holds it.
 *
 * @example
 * commandOfCall({ toolKind: "shell", input: { command: "npm test" } }); // "npm test"
 */
export const commandOfCall = (
  { toolKind, input }: Pick<ToolCall, "toolKind" | "input">,
  field = "command",
): string | undefined => (toolKind === "shell" ? asText(asObject(input)?.[field]) : undefined);

/**
 * The output of a command that the agent reports by stream once the command is done.
 *
 * @example
 * outputSignals("call-1", "1 passed\n", ""); // A signal for stdout and one for stderr.
 */
export const outputSignals = (id: string, stdout: unknown, stderr: unknown): Signal[] => [
  { kind: "output", id, stream: "stdout", text: asText(stdout) ?? "" },
  { kind: "output", id, stream: "stderr", text: asText(stderr) ?? "" },
];

/**
 * The signals for a call whose input is complete: the call, and the command that it will run.
 *
 * @example
 * readySignals({ id: "call-1", name: "bash", toolKind: "shell", input: { command: "ls" } }); // toolReady, then shell.
 */
export function readySignals(call: ToolCall, cwd?: string, field?: string): Signal[] {
  const ready: Signal = { kind: "toolReady", ...toolCallFields(call) };
  const command = commandOfCall(call, field);
  return command === undefined ? [ready] : [ready, { kind: "shell", id: call.id, command, ...omitUndefined({ cwd }) }];
}

/** The subagent that a call spawns, from the input fields that most agents use. */
export function spawnSignal({ id, name, input }: ToolCall, orPrompt = ""): Extract<Signal, { kind: "spawn" }> {
  const fields = asObject(input) ?? {};
  const agent = asText(fields.subagent_type) || asText(fields.agent_name) || name;
  return { kind: "spawn", id, name: agent, prompt: asText(fields.prompt) ?? asText(fields.description) ?? orPrompt };
}

/**
 * The risk of a call: low if it reads, high if it runs commands or uses the network.
 *
 * @example
 * riskOf("grep"); // "low"
 * riskOf("shell"); // "high"
 */
export const riskOf = (toolKind: ToolKind): "low" | "medium" | "high" => risks[toolKind] ?? "medium";

const risks: Readonly<Partial<Record<ToolKind, "low" | "high">>> = {
  ...{ file_read: "low", glob: "low", grep: "low", todo_write: "low" },
  ...{ shell: "high", http: "high", web_fetch: "high", web_search: "high", mcp: "high" },
};

/** A subagent is done; it failed if there is an error. */
export const spawnEndSignal = (id: string, summary: string | undefined, error: string | undefined): Signal => ({
  ...{ kind: "spawnEnd", id },
  ...(error === undefined ? omitUndefined({ summary }) : { error }),
});

/** How a call failed. */
export type ToolOutcome = NonNullable<ToolEnd["outcome"]>;

/** How a call failed, by its error text. */
export const outcomeByText = (table: readonly (readonly [RegExp, ToolOutcome])[], words: string): ToolOutcome =>
  table.find(([pattern]) => pattern.test(words))?.[1] ?? "failed";
