import type { Envelope } from "../envelope/envelope.ts";
import { usageOf } from "./fold-cost.ts";
import { reportError } from "./fold-errors.ts";
import { type Handlers, key, put, text, when } from "./payload-fields.ts";
import type { SubagentView } from "./types-work.ts";
import { add, type Draft } from "./view-draft.ts";

export const extensions = {
  "plugin.loaded"(draft, data) {
    put(pluginOf(draft, data), { version: key(data.version) });
  },
  "plugin.invoked"(draft, data) {
    pluginOf(draft, data).uses += 1;
  },
  "plugin.failed"(draft, data, envelope) {
    const plugin = pluginOf(draft, data);
    plugin.error = text(data.error) ?? "";
    reportError(draft, envelope, `${plugin.name}: ${plugin.error}`, false);
  },
  "skill.loaded"(draft, data) {
    put(skillOf(draft, data), { source: key(data.source) });
  },
  "skill.invoked"(draft, data) {
    skillOf(draft, data).uses += 1;
  },
  "skill.agentdoc_read"({ run }, data) {
    const path = key(data.path);
    if (path !== undefined && !run.instructions.includes(path)) run.instructions = [...run.instructions, path];
  },
  "subagent.started"(draft, data, envelope) {
    const id = text(data.subagent_id) ?? "";
    const more = { prompt: text(data.prompt), childRunId: key(data.child_run_id), startedAt: when(envelope) };
    put(draft.lists.subagents.edit(addSubagent(draft, id, data)), more);
  },
  "subagent.completed"(draft, data, envelope) {
    const usage = usageOf(data);
    endSubagent(draft, data, envelope, { status: "completed", summary: text(data.summary), usage });
  },
  "subagent.failed"(draft, data, envelope) {
    endSubagent(draft, data, envelope, { status: "failed", error: text(data.error) });
  },
} satisfies Handlers;

/** Marks subagents that still run at the end of the run as cancelled. */
export function cancelSubagents({ lists: { subagents } }: Draft, envelope: Envelope): void {
  for (let index = 0; index < subagents.length; index++) {
    if (subagents.at(index)?.status !== "running") continue;
    put(subagents.edit(index), { status: "cancelled", endedAt: when(envelope) });
  }
}

interface SubagentData {
  readonly subagent_id?: unknown;
  readonly agent_name?: unknown;
}

function addSubagent(draft: Draft, id: string, data: SubagentData): number {
  const at = add(draft, "subagents", { id, name: text(data.agent_name) ?? "", status: "running", usage: {} });
  draft.lookup.subagents.set(id, at);
  return at;
}

function endSubagent(
  draft: Draft,
  data: SubagentData,
  envelope: Envelope,
  ending: { readonly [Key in keyof SubagentView]?: SubagentView[Key] | undefined },
): void {
  const id = text(data.subagent_id) ?? "";
  const at = draft.lookup.subagents.get(id) ?? addSubagent(draft, id, data);
  put<SubagentView>(draft.lists.subagents.edit(at), { ...ending, endedAt: when(envelope) });
}

function pluginOf({ lists, lookup }: Draft, data: { readonly plugin_id?: unknown; readonly plugin_name?: unknown }) {
  const id = text(data.plugin_id) ?? "";
  const at = lookup.plugins.get(id) ?? lists.plugins.push({ id, name: text(data.plugin_name) ?? id, uses: 0 });
  lookup.plugins.set(id, at);
  return lists.plugins.edit(at);
}

function skillOf({ lists, lookup }: Draft, data: { readonly skill_name?: unknown }) {
  const name = text(data.skill_name) ?? "";
  const at = lookup.skills.get(name) ?? lists.skills.push({ name, uses: 0 });
  lookup.skills.set(name, at);
  return lists.skills.edit(at);
}
