import type { SessionMessage } from "../../agents/session-log.ts";
import { readWhole } from "./read.ts";
import type { SessionSummary } from "./session.ts";
import type { SessionFile } from "./session-files.ts";

export interface SessionMatch {
  session: SessionSummary;
  /** Which messages have it, with the words around it. */
  matches: { index: number; role: SessionMessage["role"]; excerpt: string }[];
}

/** Where a text was said, whatever its case: in words or thoughts, or as input or output of tools. */
export async function matchesIn(file: SessionFile, text: string): Promise<SessionMatch["matches"]> {
  const wanted = text.toLowerCase();
  const { log } = await readWhole(file);
  return log.messages.flatMap((message, index) => {
    if (message.role === "system") return [];
    const calls = (message.toolCalls ?? []).map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`);
    const said = [message.text, message.thinking ?? "", ...calls].find((part) => part.toLowerCase().includes(wanted));
    return said === undefined ? [] : [{ index, role: message.role, excerpt: around(said, wanted) }];
  });
}

function around(text: string, wanted: string): string {
  const at = text.toLowerCase().indexOf(wanted);
  const [start, end] = [Math.max(0, at - 40), Math.min(text.length, at + wanted.length + 80)];
  return `${start > 0 ? "…" : ""}${text.slice(start, end).toWellFormed()}${end < text.length ? "…" : ""}`;
}
