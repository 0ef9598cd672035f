import type { SessionMessage } from "../../agents/session-log.ts";
import type { Session } from "./session-summary.ts";

export const exportFormats = ["json", "jsonl", "markdown"] as const;
/** The formats in which a session can be exported. */
export type ExportFormat = (typeof exportFormats)[number];

/** Formats a session as one JSON document, as JSON lines (the session, then its messages), or as Markdown. */
export function exportSession(session: Session, format: ExportFormat): string {
  if (format === "json") return `${JSON.stringify(session, null, 2)}\n`;
  if (format === "markdown") return markdownOf(session);
  const { messages, ...head } = session;
  return [{ type: "session", ...head }, ...messages.map((message) => ({ type: "message", ...message }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

/** System messages and thinking are left out. */
function markdownOf(session: Session): string {
  const { id, title, cwd, model, startedAt, turnCount, cost, messages } = session;
  const facts = [
    ["Session", id],
    ["Directory", cwd],
    ["Model", model],
    ["Started", startedAt === undefined ? undefined : new Date(startedAt).toISOString()],
    ["Turns", String(turnCount)],
    ["Tokens", `${cost.inputTokens} in, ${cost.outputTokens} out`],
    ["Cost", cost.source && `$${cost.totalUsd.toFixed(4)} (${cost.source.replace("_", " ")})`],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`]));
  return [`# ${title || id}`, facts.join("\n"), ...messages.flatMap(sectionOf)].join("\n\n").concat("\n");
}

function sectionOf({ role, text, toolCalls = [], toolResult }: SessionMessage): string[] {
  if (role === "system") return [];
  if (toolResult) return [toolResult.isError ? "Failed:" : "Result:", fenced(text)];
  const calls = toolCalls.flatMap(({ toolName, input }) => [
    `Calls \`${toolName}\`:`,
    fenced(typeof input === "string" ? input : JSON.stringify(input, null, 2)),
  ]);
  return [role === "user" ? "## User" : "## Assistant", ...(text === "" ? [] : [text]), ...calls];
}

/** The fence is longer than any run of backticks in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
