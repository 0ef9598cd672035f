import { adapters } from "../../agents/registry.ts";
import type { SessionMessage } from "../../agents/session-log.ts";
import { exportSession } from "../../inventory/sessions/export-session.ts";
import type { Session } from "../../inventory/sessions/session-summary.ts";
import { createSessions } from "../../inventory/sessions/sessions.ts";
import { snakeCase } from "../../inventory/snake-case.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { dollars } from "../output/format.ts";
import { printJson } from "../output/json.ts";
import { table } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface ShowSessionOptions {
  json?: true;
  markdown?: true;
}

export async function showSession(id: string, { json, markdown }: ShowSessionOptions, io: Io): Promise<void> {
  if (json && markdown) throw new ExitError(2, "--json and --markdown exclude each other: keep one.");
  const session = await createSessions({ adapters }).get(id);
  if (json) printJson(io.stdout, snakeCase(session, { verbatim: ["input"] }), 2);
  else if (markdown) io.stdout.write(lines(exportSession(session, "markdown")));
  else io.stdout.write(`${table(factsOf(session))}${session.messages.map(shown).join("")}`);
  for (const note of session.notes ?? []) io.stderr.write(`${terminalSafe(note)}\n`);
}

function factsOf({ id, agent, model, title, cwd, startedAt, updatedAt, turnCount, cost, forkedFrom }: Session) {
  const { inputTokens, outputTokens, totalUsd, source } = cost;
  const facts: [string, string | undefined][] = [
    ["session", id],
    ["copy of", forkedFrom],
    ["agent", [agent, model].filter(Boolean).join(", ")],
    ["asked", title],
    ["where", cwd],
    ["started", startedAt === undefined ? undefined : new Date(startedAt).toISOString()],
    ["updated", new Date(updatedAt).toISOString()],
    ["turns", String(turnCount)],
    ["tokens", `${inputTokens} in, ${outputTokens} out`],
    ["cost", source && `${dollars(Math.round(totalUsd * 1_000_000))} (${source.replace("_", " ")})`],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, terminalSafe(value)]] : []));
}

function shown({ role, text, toolCalls = [], toolResult }: SessionMessage): string {
  if (role === "system") return "";
  if (toolResult) return toolResult.isError ? `  ✗ ${brief(text)}\n` : "";
  const calls = toolCalls.map(({ toolName, input }) => `● ${terminalSafe(toolName)} ${brief(inputOf(input))}\n`);
  if (role === "user") return `\n${lines(text).replace(/^/gm, "> ")}\n\n`;
  return `${text === "" ? "" : `${lines(text)}\n`}${calls.join("")}`;
}

/** Escapes control characters but keeps line breaks. */
const lines = (text: string): string => text.split("\n").map(terminalSafe).join("\n");

const inputOf = (input: unknown): string => (typeof input === "string" ? input : JSON.stringify(input));

function brief(text: string): string {
  const [first = ""] = text.trim().split("\n", 1);
  return terminalSafe(first.length > 100 ? `${first.slice(0, 100).toWellFormed()}…` : first);
}
