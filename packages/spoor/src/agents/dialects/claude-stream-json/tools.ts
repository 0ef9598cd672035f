import type { ToolKind } from "@spoor/protocol";
import { asObject, asText, type Json } from "../../json-machine.ts";
import type { McpTool, Signal } from "../../signal.ts";
import type { Profile } from "./profile.ts";

export interface Tool {
  name: string;
  toolKind: ToolKind;
  input: Json;
  mcp?: McpTool;
}

/** The calls that wait for their result, the run's own and its subagents'. */
export class Tools {
  readonly profile: Profile;
  /** Calls whose refusal, or the question about them, was told. */
  readonly asked = new Set<string>();
  cwd: string | undefined;
  readonly #calls = new Map<string, Tool>();
  /** The subagents whose calls they are. */
  readonly #owners = new Map<string, string>();

  constructor(profile: Profile) {
    this.profile = profile;
  }

  /** The model begins to write a call. */
  start(id: string, name: string): Signal[] {
    return [{ kind: "toolStart", id, ...kindOf(name, this.profile) }];
  }

  /** The call is written. */
  ready(block: Json, child: string | undefined): Signal[] {
    const [id, name] = [asText(block.id), asText(block.name)];
    if (id === undefined || name === undefined) return [{ kind: "note", message: JSON.stringify(block) }];
    const tool = { ...kindOf(name, this.profile), input: asObject(block.input) ?? {} };
    this.#calls.set(id, tool);
    if (child !== undefined) this.#owners.set(id, child);
    const ready: Signal = { kind: "toolReady", id, ...tool, input: block.input };
    const command = asText(tool.input[this.profile.shell.command ?? "command"]);
    if (tool.toolKind !== "shell" || command === undefined) return [ready];
    return [ready, { kind: "shell", id, command, ...(this.cwd !== undefined && { cwd: this.cwd }) }];
  }

  get(id: string): Tool | undefined {
    return this.#calls.get(id);
  }

  ownerOf(id: unknown): string | undefined {
    return this.#owners.get(String(id));
  }

  end(id: string): void {
    this.#calls.delete(id);
    this.#owners.delete(id);
  }
}

export function kindOf(name: string, profile: Profile): Omit<Tool, "input"> {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return { name, toolKind: "mcp", mcp: { server, tool } };
  return { name, toolKind: (Object.hasOwn(profile.tools, name) && profile.tools[name]) || "other" };
}
