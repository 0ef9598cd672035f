import type { ToolKind } from "@spoor/protocol";
import type { McpTool, Signal, ToolEnd } from "../signal.ts";
import { asObject, asText } from "./json-values.ts";
import { lookUp } from "./look-up.ts";
import { omitUndefined } from "./omit-undefined.ts";

export interface Tool {
  name: string;
  toolKind: ToolKind;
  mcp?: McpTool;
}

export interface ToolCall extends Tool {
  id: string;
  input: unknown;
}

export type ToolKinds = Readonly<Record<string, ToolKind>>;

/** The table of an agent's tools, from the names of each kind. */
export const toolKindsByName = (names: Partial<Record<ToolKind, readonly string[]>>): ToolKinds =>
  Object.fromEntries(
    Object.entries(names).flatMap(([kind, ofKind]) => ofKind.map((name) => [name, kind as ToolKind] as const)),
  );

/** What a tool does, by its name. `mcpName` has the groups `server` and `tool`; what is in no table is `other`. */
export function toolByName(name: string, kinds: ToolKinds, mcpName?: RegExp): Tool {
  const { server, tool } = mcpName?.exec(name)?.groups ?? {};
  if (server && tool) return { name, toolKind: "mcp", mcp: { server, tool } };
  return { name, toolKind: lookUp(kinds, name) ?? "other" };
}

/** The call alone, of whatever else is kept of it: as its start tells it, and questions about it. */
export const toolCallFields = ({ id, name, toolKind, input, mcp }: ToolCall): ToolCall => ({
  ...{ id, name, toolKind, input },
  ...(mcp && { mcp }),
});

/** The command of a call that runs one, in the field of its input that holds it. */
export const commandOfCall = (
  { toolKind, input }: Pick<ToolCall, "toolKind" | "input">,
  field = "command",
): string | undefined => (toolKind === "shell" ? asText(asObject(input)?.[field]) : undefined);

/** What a command printed, where both streams are told when it is done. */
export const outputSignals = (id: string, stdout: unknown, stderr: unknown): Signal[] => [
  { kind: "output", id, stream: "stdout", text: asText(stdout) ?? "" },
  { kind: "output", id, stream: "stderr", text: asText(stderr) ?? "" },
];

/** The call is written: it, and the command that it will run. */
export function readySignals(call: ToolCall, cwd?: string, field?: string): Signal[] {
  const ready: Signal = { kind: "toolReady", ...toolCallFields(call) };
  const command = commandOfCall(call, field);
  return command === undefined ? [ready] : [ready, { kind: "shell", id: call.id, command, ...omitUndefined({ cwd }) }];
}

/** The subagent that a call spawns, as most agents name what it is given. */
export function spawnSignal({ id, name, input }: ToolCall, orPrompt = ""): Extract<Signal, { kind: "spawn" }> {
  const fields = asObject(input) ?? {};
  const agent = asText(fields.subagent_type) || asText(fields.agent_name) || name;
  return { kind: "spawn", id, name: agent, prompt: asText(fields.prompt) ?? asText(fields.description) ?? orPrompt };
}

/** How much harm may be in a call: little in reading, much in what runs commands or reaches out. */
export const riskOf = (toolKind: ToolKind): "low" | "medium" | "high" => risks[toolKind] ?? "medium";

const risks: Readonly<Partial<Record<ToolKind, "low" | "high">>> = {
  ...{ file_read: "low", glob: "low", grep: "low", todo_write: "low" },
  ...{ shell: "high", http: "high", web_fetch: "high", web_search: "high", mcp: "high" },
};

/** A subagent is done, well unless there is an error. */
export const spawnEndSignal = (id: string, summary: string | undefined, error: string | undefined): Signal => ({
  ...{ kind: "spawnEnd", id },
  ...(error === undefined ? omitUndefined({ summary }) : { error }),
});

export type ToolOutcome = NonNullable<ToolEnd["outcome"]>;

/** How a call failed, by the words it failed with. */
export const outcomeByText = (table: readonly (readonly [RegExp, ToolOutcome])[], words: string): ToolOutcome =>
  table.find(([pattern]) => pattern.test(words))?.[1] ?? "failed";
