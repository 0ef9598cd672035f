import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentEvent, createStreamChecker } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../agents/machine.ts";
import { parse } from "../parse.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/", import.meta.url));

/** Paths of an agent's recordings below `fixtures/`, such as `claude/2.1.325/a-text.jsonl`. */
export function recordingsOf(agent: string): string[] {
  return readdirSync(join(fixtures, agent), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => `${agent}/${name.replaceAll("\\", "/")}`)
    .sort();
}

/** The events of a recording, or of its lines changed on the way. */
export async function eventsOf(
  adapter: Adapter,
  recording: string,
  change: (lines: string[]) => string[] = (lines) => lines,
): Promise<AgentEvent[]> {
  const lines = readFileSync(join(fixtures, recording), "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return eventsOfLines(adapter, change(lines), metaOf(recording));
}

export async function eventsOfLines(
  adapter: Adapter,
  lines: readonly string[],
  exit: { code: number | null; signal: string | null } = { code: 0, signal: null },
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

/** What every adapter must do with every recording of its agent. */
export function describeRecordings(adapter: Adapter, agent: string = adapter.name): void {
  const recordings = recordingsOf(agent);

  describe(`the recordings of ${agent}`, () => {
    it.each(recordings)("%s gives events that keep the contract, the same ones each time", async (recording) => {
      const events = await eventsOf(adapter, recording);
      expect(violationsOf(events)).toEqual([]);
      expect(JSON.stringify(await eventsOf(adapter, recording))).toBe(JSON.stringify(events));
      expect(events.filter(({ type }) => type === "debug").map((event) => JSON.stringify(event))).not.toContainEqual(
        expect.stringContaining("A frame could not be read"),
      );
    });

    it("survive being cut, doubled, shuffled and damaged", { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...recordings),
          fc.array(fc.tuple(fc.nat(), fc.constantFrom(...damages)), { maxLength: 5 }),
          async (recording, plan) => {
            const events = await eventsOf(adapter, recording, (lines) =>
              plan.reduce((current, [at, damage]) => damage(current, at % (current.length + 1)), lines.slice(0, 400)),
            );
            expect(violationsOf(events)).toEqual([]);
          },
        ),
        { numRuns: 150 },
      );
    });
  });
}

const damages: ((lines: string[], at: number) => string[])[] = [
  (lines, at) => lines.slice(0, at),
  (lines, at) => lines.toSpliced(at, 1),
  (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ""),
  (lines, at) => [...lines.slice(at), ...lines.slice(0, at)],
  (lines, at) => lines.map((line, index) => (index === at ? line.slice(0, 40) : line)),
  (lines, at) =>
    lines.toSpliced(at, 0, '{"type":"never_seen","payload":[1,{"a":null}]}', "not json", '"text"', "[]", "null"),
  (lines, at) => lines.map((line, index) => (index === at ? line.replaceAll(/:"[^"]*"/g, ":null") : line)),
  (lines, at) =>
    lines.map((line, index) => (index === at ? line.replaceAll(/:\{/g, ":[{").replaceAll("}", "}]") : line)),
  (lines, at) => lines.map((line, index) => (index === at ? line.replaceAll(/:\d+/g, ":-1.5") : line)),
];

function metaOf(recording: string): { code: number | null; signal: string | null } {
  try {
    const meta = JSON.parse(readFileSync(join(fixtures, recording.replace(/\.jsonl$/, ".meta.json")), "utf8"));
    return { code: meta.exit_code ?? meta.exitCode ?? (meta.signal ? null : 0), signal: meta.signal ?? null };
  } catch {
    return { code: 0, signal: null };
  }
}
