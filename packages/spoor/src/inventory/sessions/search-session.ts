import type { SessionMessage } from "../../agents/session-log.ts";
import { readWhole } from "./read-session.ts";
import type { SessionFile } from "./session-files.ts";
import type { SessionSummary } from "./session-summary.ts";

/** A session with messages that contain the searched text. */
export interface SessionMatch {
  session: SessionSummary;
  /** The messages that contain the text, each with an excerpt around it. */
  matches: { index: number; role: SessionMessage["role"]; excerpt: string }[];
}

/** Finds a text, ignoring case, in messages, thinking, tool input and tool output. */
export async function matchesIn(file: SessionFile, text: string): Promise<SessionMatch["matches"]> {
  const wanted = text.toLowerCase();
  const { log } = await readWhole(file);
  return log.messages.flatMap((message, index) => {
    if (message.role === "system") return [];
    const calls = (message.toolCalls ?? []).map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`);
    const found = [message.text, message.thinking ?? "", ...calls].find((part) => part.toLowerCase().includes(wanted));
    return found === undefined ? [] : [{ index, role: message.role, excerpt: excerptOf(found, wanted) }];
  });
}

function excerptOf(text: string, wanted: string): string {
  const at = text.toLowerCase().indexOf(wanted);
  const [start, end] = [Math.max(0, at - 40), Math.min(text.length, at + wanted.length + 80)];
  return `${start > 0 ? "…" : ""}${text.slice(start, end).toWellFormed()}${end < text.length ? "…" : ""}`;
}
