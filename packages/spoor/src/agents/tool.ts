import type { ToolKind } from "@spoor/protocol";
import { asObject, asText } from "./json-machine.ts";
import type { McpTool, Signal, ToolEnd } from "./signal.ts";
import { rowOf } from "./table.ts";

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
export const kindsOf = (names: Partial<Record<ToolKind, readonly string[]>>): ToolKinds =>
  Object.fromEntries(
    Object.entries(names).flatMap(([kind, ofKind]) => ofKind.map((name) => [name, kind as ToolKind] as const)),
  );

/** What a tool does, by its name. `mcpName` has the groups `server` and `tool`; what is in no table is `other`. */
export function toolNamed(name: string, kinds: ToolKinds, mcpName?: RegExp): Tool {
  const { server, tool } = mcpName?.exec(name)?.groups ?? {};
  if (server && tool) return { name, toolKind: "mcp", mcp: { server, tool } };
  return { name, toolKind: rowOf(kinds, name) ?? "other" };
}

/** The call alone, of whatever else is kept of it: as its start tells it, and questions about it. */
export const callIn = ({ id, name, toolKind, input, mcp }: ToolCall): ToolCall => ({
  ...{ id, name, toolKind, input },
  ...(mcp && { mcp }),
});

/** The command of a call that runs one. */
export const commandIn = ({ toolKind, input }: Pick<ToolCall, "toolKind" | "input">): string | undefined =>
  toolKind === "shell" ? asText(asObject(input)?.command) : undefined;

/** The subagent that a call spawns, as most agents name what it is given. */
export function spawnIn({ id, name, input }: ToolCall, orPrompt = ""): Extract<Signal, { kind: "spawn" }> {
  const fields = asObject(input) ?? {};
  const agent = asText(fields.subagent_type) || asText(fields.agent_name) || name;
  return { kind: "spawn", id, name: agent, prompt: asText(fields.prompt) ?? asText(fields.description) ?? orPrompt };
}

export type Outcome = NonNullable<ToolEnd["outcome"]>;

/** How a call failed, by the words it failed with. */
export const outcomeBy = (table: readonly (readonly [RegExp, Outcome])[], words: string): Outcome =>
  table.find(([pattern]) => pattern.test(words))?.[1] ?? "failed";
