import { textOfContent } from "../../../kit/content-text.ts";
import { asObject, asText, type Json } from "../../../kit/json-values.ts";
import { spawnEndSignal, spawnSignal } from "../../../kit/tool-calls.ts";
import type { Signal } from "../../../signal.ts";
import { createMessageReader, type MessageReader } from "./claude-messages.ts";
import type { Calls } from "./claude-tool-calls.ts";

/** Subagents, each under the id of the call that spawned it. */
export function createSubagents(calls: Calls) {
  const speakers = new Map<unknown, MessageReader>();
  /** Subagents that continue after their call has its result. */
  const background = new Set<unknown>();

  /** Reports that the subagent began, once. */
  function begin(id: string, reported: Json = {}): Signal[] {
    if (speakers.has(id)) return [];
    speakers.set(id, createMessageReader(calls, id));
    const input = { ...asObject(calls.open.get(id)?.input), ...reported };
    return [{ ...spawnSignal({ id, name: "subagent", toolKind: "subagent", input }), tracked: true }];
  }

  return {
    begin,
    /** The reader of a subagent that has begun. */
    speaking: (id: string) => speakers.get(id) as MessageReader,
    /** The frame also reports commands in the background, which are ignored here. */
    started(frame: Json): Signal[] | undefined {
      const task = asObject(frame.data) ?? frame;
      const id = asText(task.tool_use_id);
      if (!id || (task.task_type ?? "local_agent") !== "local_agent") return undefined;
      if (task.is_backgrounded !== false) background.add(id);
      return begin(id, task);
    },
    notified(frame: Json): Signal[] | undefined {
      const { tool_use_id: id, summary, status } = asObject(frame.data) ?? frame;
      const text = asText(summary) ?? "";
      if (!speakers.has(id)) return undefined;
      return [spawnEndSignal(`${id}`, text, status === "completed" ? undefined : text || String(status))];
    },
    /** The result of the call that spawned it. */
    result({ tool_use_id: id, content, is_error }: Json): Signal[] {
      const failed = is_error === true;
      if (!speakers.has(id) || (background.has(id) && !failed)) return [];
      const text = textOfContent(content, "\n");
      return [spawnEndSignal(`${id}`, text, failed ? text : undefined)];
    },
  };
}
