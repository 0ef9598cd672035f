import type { SessionLog, SessionMessage, SessionUsage } from "../session-log.ts";
import { asCount, asObject, asObjects, asText, type Json } from "./json-values.ts";

/** A session log while it is read. */
export class SessionDraft implements SessionLog {
  id?: string;
  title?: string;
  cwd?: string;
  model?: string;
  startedAt?: number;
  updatedAt?: number;
  forkedFrom?: string;
  isSubagent?: true;
  messages: SessionMessage[] = [];
  readonly usage = new Map<string, SessionUsage>();

  /** Notes the time of a record, as the agent writes it. The first time is the start of the session. */
  noteTime(time: unknown): { timestamp?: number } {
    const timestamp = millisecondsOf(time);
    if (timestamp === undefined) return {};
    this.startedAt ??= timestamp;
    this.updatedAt = Math.max(this.updatedAt ?? timestamp, timestamp);
    return { timestamp };
  }

  /** The last record of a model call counts, with the time of the first. */
  addUsage(key: string, usage: SessionUsage): void {
    const timestamp = this.usage.get(key)?.timestamp ?? usage.timestamp;
    this.usage.set(key, { ...usage, ...(timestamp !== undefined && { timestamp }) });
  }

  /** Sets the fields that are non-empty strings; leaves the others as they were. */
  setFacts(facts: { [Name in "id" | "title" | "cwd" | "model" | "forkedFrom"]?: unknown }): void {
    for (const name of ["id", "title", "cwd", "model", "forkedFrom"] as const) {
      const text = asText(facts[name]);
      if (text !== undefined && text !== "") this[name] = text;
    }
  }
}

/** Milliseconds, from an ISO time or a number of milliseconds. */
export function millisecondsOf(value: unknown): number | undefined {
  if (typeof value === "number") return asCount(value);
  const time = Date.parse(asText(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** The text of a message: a string, or the text of its blocks. */
export function sessionText(content: unknown): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((block) => asText(block.text) ?? (block.type === "image" ? "[image]" : ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** Parses JSON text; returns any other text as it is. */
export function jsonOrText(text: unknown): unknown {
  if (typeof text !== "string") return text ?? {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The object in this field of an object; empty if there is none. */
export const objectField = (value: unknown, name: string): Json => asObject(asObject(value)?.[name]) ?? {};
