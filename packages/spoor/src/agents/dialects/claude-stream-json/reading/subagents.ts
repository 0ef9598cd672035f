import { asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { textOf } from "../../../text.ts";
import { spawnEnd, spawnIn } from "../../../tool.ts";
import type { Calls } from "./calls.ts";
import { createSpeaker, type Speaker } from "./speaker.ts";

/** Subagents, each under the id of the call that spawned it. */
export function createSubagents(calls: Calls) {
  const speakers = new Map<unknown, Speaker>();
  /** Those that go on when their call has its result. */
  const background = new Set<unknown>();

  /** The subagent whose line this is, and the word that it began if it is the first. */
  function speaking(id: string, told: Json = {}): { speaker: Speaker; spawn: Signal[] } {
    const known = speakers.get(id);
    if (known) return { speaker: known, spawn: [] };
    const speaker = createSpeaker(calls, id);
    speakers.set(id, speaker);
    const input = { ...asObject(calls.open.get(id)?.input), ...told };
    const spawn = spawnIn({ id, name: "subagent", toolKind: "subagent", input });
    return { speaker, spawn: [{ ...spawn, tracked: true }] };
  }

  return {
    speaking,
    /** Told of commands in the background, too: those are not known here. */
    started(frame: Json): Signal[] | undefined {
      const task = asObject(frame.data) ?? frame;
      const id = asText(task.tool_use_id);
      if (!id || (task.task_type ?? "local_agent") !== "local_agent") return undefined;
      if (task.is_backgrounded !== false) background.add(id);
      return speaking(id, task).spawn;
    },
    notified(frame: Json): Signal[] | undefined {
      const { tool_use_id: id, summary, status } = asObject(frame.data) ?? frame;
      const text = asText(summary) ?? "";
      if (!speakers.has(id)) return undefined;
      return [spawnEnd(`${id}`, text, status === "completed" ? undefined : text || String(status))];
    },
    /** The result of the call that spawned it. */
    result({ tool_use_id: id, content, is_error }: Json): Signal[] {
      const failed = is_error === true;
      if (!speakers.has(id) || (background.has(id) && !failed)) return [];
      const text = textOf(content, "\n");
      return [spawnEnd(`${id}`, text, failed ? text : undefined)];
    },
  };
}
