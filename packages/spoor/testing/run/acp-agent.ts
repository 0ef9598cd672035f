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

/** Creates a temporary folder, removed after the test, and returns its real path. */
export function newWorkspace(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-workspace-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A step of the ACP agent of the tests; `programs/acp-agent.mjs` explains the steps. */
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

/** Returns the events of a run. Throws if they break the contract; `answer` is given to every question. */
export async function eventsOfRun(handle: Run, answer?: boolean): Promise<AgentEvent[]> {
  if (answer !== undefined) {
    handle.interaction.onPending(({ id }) => {
      if (answer) void handle.approve(id);
      else void handle.deny(id, "no");
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

/** Returns the answers that the agent received. It reports them in its last message. */
export function answersIn(
  events: readonly AgentEvent[],
): { result?: unknown; error?: { code: number; message: string } }[] {
  return JSON.parse(all(events, "message_stop").at(-1)?.text ?? "[]");
}
