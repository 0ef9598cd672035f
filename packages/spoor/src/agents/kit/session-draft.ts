import type { SessionLog, SessionMessage, SessionUsage } from "../session-log.ts";
import { asCount, asObject, asObjects, asText, type Json } from "./json-values.ts";

/** A log in the making. */
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

  /** Something happened at this time, as the agent writes it; the first counts as the start. */
  noteTime(time: unknown): { timestamp?: number } {
    const timestamp = millisecondsOf(time);
    if (timestamp === undefined) return {};
    this.startedAt ??= timestamp;
    this.updatedAt = Math.max(this.updatedAt ?? timestamp, timestamp);
    return { timestamp };
  }

  /** The last record of a model call wins, at the time of the first. */
  addUsage(key: string, usage: SessionUsage): void {
    const timestamp = this.usage.get(key)?.timestamp ?? usage.timestamp;
    this.usage.set(key, { ...usage, ...(timestamp !== undefined && { timestamp }) });
  }

  /** Sets what is text, and leaves the rest as it was. */
  setFacts(facts: { [Name in "id" | "title" | "cwd" | "model" | "forkedFrom"]?: unknown }): void {
    for (const name of ["id", "title", "cwd", "model", "forkedFrom"] as const) {
      const text = asText(facts[name]);
      if (text !== undefined && text !== "") this[name] = text;
    }
  }
}

/** Milliseconds, of an ISO time or a number of them. */
export function millisecondsOf(value: unknown): number | undefined {
  if (typeof value === "number") return asCount(value);
  const time = Date.parse(asText(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** The words of a message: text as it is, or blocks that have some. */
export function sessionText(content: unknown): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((block) => asText(block.text) ?? (block.type === "image" ? "[image]" : ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** Text that is JSON as a value; else as it is. */
export function jsonOrText(text: unknown): unknown {
  if (typeof text !== "string") return text ?? {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The field of an object in an object. */
export const objectField = (value: unknown, name: string): Json => asObject(asObject(value)?.[name]) ?? {};
