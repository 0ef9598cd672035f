import type { ToolKind } from "@spoor/protocol";
import { noteOf } from "../../../facts.ts";
import { given } from "../../../given.ts";
import { asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { type Tool as NamedTool, toolNamed } from "../../../tool.ts";
import type { Profile } from "./profile.ts";

export type Tool = NamedTool & { input: Json };
export type Tools = ReturnType<typeof createTools>;

/** The calls that wait for their result, the run's own and its subagents'. */
export function createTools(profile: Profile) {
  const kinds = Object.entries(profile.tools) as [ToolKind, readonly string[]][];
  const kindsByName = Object.fromEntries(kinds.flatMap(([kind, names]) => names.map((name) => [name, kind])));
  const tools = {
    profile,
    open: new Map<string, Tool>(),
    /** The subagents whose calls they are. */
    owners: new Map<unknown, string>(),
    /** Calls whose refusal, or the question about them, was told. */
    asked: new Set<string>(),
    cwd: undefined as string | undefined,
    named: (name: string) => toolNamed(name, kindsByName, /^mcp__(?<server>.+?)__(?<tool>.+)$/),
    /** The call is written. */
    ready(block: Json, child: string | undefined): Signal[] {
      const [id, name] = [asText(block.id), asText(block.name)];
      if (id === undefined || name === undefined) return [noteOf(block)];
      const tool = { ...tools.named(name), input: asObject(block.input) ?? {} };
      tools.open.set(id, tool);
      if (child !== undefined) tools.owners.set(id, child);
      const ready: Signal = { kind: "toolReady", id, ...tool, input: block.input };
      const command = asText(tool.input[profile.shell.command ?? "command"]);
      if (tool.toolKind !== "shell" || command === undefined) return [ready];
      return [ready, { kind: "shell", id, command, ...given({ cwd: tools.cwd }) }];
    },
  };
  return tools;
}
