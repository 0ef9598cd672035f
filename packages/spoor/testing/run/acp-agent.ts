import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { onTestFinished } from "vitest";
import { createClient, type RunOptions } from "../../src/client.ts";
import type { Run } from "../../src/run/run.ts";
import { violationsOf } from "./recordings.ts";

const program = fileURLToPath(new URL("programs/acp-agent.mjs", import.meta.url));

/** A folder of its own for each test, by its real path. */
export function newWorkspace(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-workspace-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Steps for the ACP agent of the tests, which `programs/acp-agent.mjs` explains, and answers it gives in the handshake. */
export type Step = Readonly<Record<string, unknown>>;

export const runAcp = (steps: readonly Step[], options: Partial<RunOptions> & { answers?: object } = {}): Run => {
  const { answers = {}, ...rest } = options;
  return createClient().run({
    agent: "acp",
    command: [process.execPath, program, JSON.stringify(answers)],
    prompt: JSON.stringify(steps),
    cwd: newWorkspace(),
    approve: "auto",
    ...rest,
  });
};

/** The run's events, which keep the contract; `answer` is what to do about each question. */
export async function eventsOfRun(handle: Run, answer?: boolean): Promise<AgentEvent[]> {
  if (answer !== undefined) {
    handle.interaction.onPending(({ id }) => {
      if (answer) handle.approve(id);
      else handle.deny(id, "no");
    });
  }
  const events: AgentEvent[] = [];
  for await (const event of handle) events.push(event);
  const violations = violationsOf(events);
  if (violations.length > 0) throw new Error(violations.join("\n"));
  return events;
}

export function all<T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] {
  return events.filter((event): event is AgentEventOf<T> => event.type === type);
}

/** What the agent was answered, as it reports in its last message. */
export function answersIn(
  events: readonly AgentEvent[],
): { result?: unknown; error?: { code: number; message: string } }[] {
  return JSON.parse(all(events, "message_stop").at(-1)?.text ?? "[]");
}
