import type { CostRecord } from "@spoor/protocol";
import type { JsonFrameReader } from "../../../kit/json-machine.ts";
import { asArray, asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { assignToSubagent } from "../../../kit/subagent-signals.ts";
import type { Signal } from "../../../signal.ts";

interface Child {
  reader: JsonFrameReader;
  said: string;
  cost?: CostRecord;
}

/**
 * Subagents work in the background, long after the call that spawned them has ended. The agent repeats their whole
 * state, and reports what they do if the client subscribed to that.
 */
export function createSubagents(createReader: () => JsonFrameReader) {
  /** By id; undefined for a subagent that has ended. */
  const children = new Map<string, Child | undefined>();
  let areTracked = false;

  /** Notes whether the agent reports what subagents do. */
  function track(level: unknown): void {
    areTracked = level === "events";
  }

  /** The news in the states of some subagents; undefined if there is none. */
  function states(states: unknown): Signal[] | undefined {
    const news = asObjects(states).flatMap(readState);
    return news.length > 0 ? news : undefined;
  }

  /** Reads a frame of a subagent. */
  function event(payload: Json): Signal[] | undefined {
    const [id, frame] = [asText(payload.id), asObject(payload.event)];
    if (!id || !frame) return undefined;
    const begun = begin(id, "");
    const child = children.get(id);
    if (!child) return undefined;
    const signals = child.reader.frame(frame) ?? [];
    for (const signal of signals) {
      if (signal.kind === "textDone") child.said = signal.text ?? child.said;
      if (signal.kind === "cost") child.cost = signal.cost;
    }
    return [...begun, ...assignToSubagent(id, signals)];
  }

  function readState(state: Json): Signal[] {
    const id = asText(state.id);
    if (!id) return [];
    const status = asText(state.status) ?? "";
    const begun = begin(id, asText(state.assignment) ?? asText(state.task) ?? "");
    const child = children.get(id);
    if (!child || working.has(status)) return begun;
    children.set(id, undefined);
    if (status !== "completed") return [...begun, { kind: "spawnEnd", id, error: asText(state.error) || status }];
    const shown = asArray(state.recentOutput).filter((line) => typeof line === "string");
    const summary = reportOf(state) || child.said || shown.join("\n");
    return [...begun, { kind: "spawnEnd", id, summary, ...omitUndefined({ cost: child.cost }) }];
  }

  function begin(id: string, prompt: string): Signal[] {
    if (children.has(id)) return [];
    children.set(id, { reader: createReader(), said: "" });
    return [{ kind: "spawn", id, name: id, prompt, ...(areTracked && { tracked: true }) }];
  }

  return { track, states, event };
}

const working = new Set(["", "pending", "started", "running"]);

/** The subagent's report, if it made one. */
function reportOf({ extractedToolData }: Json): string | undefined {
  const data = asObjects(asObject(extractedToolData)?.yield).at(-1)?.data;
  return data === undefined ? undefined : (asText(data) ?? JSON.stringify(data));
}
