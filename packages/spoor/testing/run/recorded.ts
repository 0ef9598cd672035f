import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentEvent, createStreamChecker } from "@spoor/protocol";
import type { Adapter } from "../../src/agents/machine.ts";
import { parse, type RecordedExit } from "../../src/assemble/parse.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/** Paths of an agent's recordings below `fixtures/`, such as `claude/2.1.325/a-text.jsonl`. */
export function recordingsOf(agent: string): string[] {
  if (!existsSync(join(fixtures, agent))) return [];
  return readdirSync(join(fixtures, agent), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl") && !name.startsWith("sessions"))
    .map((name) => `${agent}/${name.replaceAll("\\", "/")}`)
    .sort();
}

/** Paths of an agent's other files below `fixtures/`: whole documents and session files. */
export function documentsOf(agent: string): string[] {
  if (!existsSync(join(fixtures, agent))) return [];
  return readdirSync(join(fixtures, agent), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:json|session)$/.test(name) && !/\.(?:facts|meta)\.json$/.test(name))
    .map((name) => `${agent}/${name.replaceAll("\\", "/")}`)
    .sort();
}

/** Returns the events of a recording. `change` may edit its lines first. */
export async function eventsOf(
  adapter: Adapter,
  recording: string,
  change: (lines: string[]) => readonly string[] = (lines) => lines,
): Promise<AgentEvent[]> {
  return eventsOfLines(adapter, change(linesOf(recording)), metaOf(recording));
}

export function linesOf(recording: string): string[] {
  const lines = readFileSync(join(fixtures, recording), "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export async function eventsOfLines(
  adapter: Adapter,
  lines: readonly string[],
  exit: RecordedExit = { code: 0, signal: null },
): Promise<AgentEvent[]> {
  async function* source() {
    yield* lines;
  }
  const events: AgentEvent[] = [];
  for await (const event of parse(source(), { adapter, exit })) events.push(event);
  return events;
}

export function violationsOf(events: readonly AgentEvent[]): string[] {
  const checker = createStreamChecker();
  return [...events.flatMap((event) => checker.add(event)), ...checker.end()].flatMap(({ finding }) =>
    finding.kind === "violation" ? [`${finding.index} ${finding.rule}: ${finding.message}`] : [],
  );
}

function metaOf(recording: string): RecordedExit {
  try {
    const meta = JSON.parse(readFileSync(join(fixtures, recording.replace(/\.jsonl?$/, ".meta.json")), "utf8"));
    const [code, signal] = [meta.exit_code ?? meta.exitCode, meta.signal ?? null];
    return { code: code ?? (signal ? null : 0), signal, interrupted: signal === null && meta.killed !== undefined };
  } catch {
    return { code: 0, signal: null };
  }
}
