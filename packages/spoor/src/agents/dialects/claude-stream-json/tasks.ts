import { asObject, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import type { Tools } from "./tools.ts";

/** Subagents, each under the id of the call that spawned it. */
export class Tasks {
  readonly #tools: Tools;
  readonly #open = new Map<string, { background: boolean }>();
  readonly #seen = new Set<string>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** A line of the subagent's, or the word that it started. */
  ensure(id: string, told: Json = {}): Signal[] {
    if (this.#seen.has(id)) return [];
    this.#seen.add(id);
    this.#open.set(id, { background: false });
    const input = this.#tools.get(id)?.input ?? {};
    const name = asText(told.subagent_type ?? input.subagent_type) || "subagent";
    const prompt = asText(told.prompt ?? input.prompt) ?? "";
    return [{ kind: "spawn", id, name, prompt, tracked: true }];
  }

  /** A `task_…` frame; those of commands, and of progress, are not known here. */
  frame(frame: Json): Signal[] | undefined {
    const task = asObject(frame.data) ?? frame;
    const id = asText(task.tool_use_id);
    if (!id) return undefined;
    if (frame.subtype === "task_started") {
      const isAgent = (task.task_type ?? "local_agent") === "local_agent";
      if (!isAgent) return undefined;
      const signals = this.ensure(id, task);
      const open = this.#open.get(id);
      if (open) open.background = task.is_backgrounded !== false;
      return signals;
    }
    if (frame.subtype !== "task_notification" || !this.#open.has(id)) return undefined;
    const summary = asText(task.summary) ?? "";
    return this.#end(id, summary, task.status === "completed" ? undefined : summary || String(task.status));
  }

  /** The result of the call that spawned it; of work in the background it tells only that it goes on. */
  result(id: string, text: string, failed: boolean): Signal[] {
    const task = this.#open.get(id);
    if (!task || (task.background && !failed)) return [];
    return this.#end(id, text, failed ? text : undefined);
  }

  #end(id: string, summary: string, error: string | undefined): Signal[] {
    this.#open.delete(id);
    return [{ kind: "spawnEnd", id, ...(error === undefined ? { summary } : { error }) }];
  }
}
