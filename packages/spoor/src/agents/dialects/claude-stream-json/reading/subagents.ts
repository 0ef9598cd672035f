import { asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { Speaker } from "./speaker.ts";
import type { Tools } from "./tools.ts";

export type Subagents = ReturnType<typeof createSubagents>;

/** Subagents, each under the id of the call that spawned it. */
export function createSubagents(tools: Tools) {
  const known = new Map<string, { speaker: Speaker; isBackground: boolean; isDone: boolean }>();

  /** The subagent whose line this is, and the word that it began if it is the first. */
  function speaking(id: string, told: Json = {}) {
    const subagent = known.get(id) ?? { speaker: new Speaker(tools, id), isBackground: false, isDone: false };
    if (known.has(id)) return { subagent, spawn: [] };
    known.set(id, subagent);
    const input = tools.open.get(id)?.input ?? {};
    const name = asText(told.subagent_type ?? input.subagent_type) || "subagent";
    const prompt = asText(told.prompt ?? input.prompt) ?? "";
    return { subagent, spawn: [{ kind: "spawn", id, name, prompt, tracked: true } satisfies Signal] };
  }

  function end(id: string, summary: string, error: string | undefined): Signal[] {
    const subagent = known.get(id);
    if (!subagent || subagent.isDone) return [];
    subagent.isDone = true;
    return [{ kind: "spawnEnd", id, ...(error === undefined ? { summary } : { error }) }];
  }

  return {
    speaking,
    /** Told of commands in the background, too: those are not known here. */
    started(frame: Json): Signal[] | undefined {
      const task = asObject(frame.data) ?? frame;
      const id = asText(task.tool_use_id);
      if (!id || (task.task_type ?? "local_agent") !== "local_agent") return undefined;
      const { subagent, spawn } = speaking(id, task);
      subagent.isBackground = task.is_backgrounded !== false;
      return spawn;
    },
    notified(frame: Json): Signal[] | undefined {
      const { tool_use_id, summary, status } = asObject(frame.data) ?? frame;
      const text = asText(summary) ?? "";
      const signals = end(asText(tool_use_id) ?? "", text, status === "completed" ? undefined : text || String(status));
      return signals.length > 0 ? signals : undefined;
    },
    /** The result of the call that spawned it; of work in the background it tells only that it goes on. */
    result(id: string, text: string, failed: boolean): Signal[] {
      const goesOn = known.get(id)?.isBackground && !failed;
      return goesOn ? [] : end(id, text, failed ? text : undefined);
    },
  };
}
