import type { ListName, RunView } from "@spoor/protocol";
import type { Row } from "./row-types.ts";

/** The lists that rows are made from, except the texts of the agent. */
const others: readonly ListName[] = [
  ...(["timeline", "prompts", "attachments", "turns", "thoughts", "tools", "shells", "files", "approvals"] as const),
  ...(["questions", "subagents", "images", "errors", "retries", "gaps", "notes", "opaque"] as const),
];

/**
 * The rows of a view in which only texts of the agent grew, as in most frames while it speaks: all other rows stay as they
 * are. Returns undefined when anything else changed. So a frame of a long run costs no more than one of a short run.
 */
export function withGrownTexts(
  rows: readonly Row[],
  before: RunView | undefined,
  view: RunView,
): readonly Row[] | undefined {
  if (!before || before.end !== view.end || before.createdAt !== view.createdAt) return undefined;
  if (others.some((name) => before[name] !== view[name])) return undefined;
  if (before.messages === view.messages) return rows;
  const grown = [...rows];
  for (const [index, message] of view.messages.entries()) {
    const old = before.messages[index];
    if (old === message) continue;
    const at = grown.findLastIndex((row) => row.kind === "text" && row.message === old);
    const row = grown[at];
    if (row?.kind !== "text") return undefined;
    grown[at] = { ...row, message, parts: [message] };
  }
  return grown;
}
