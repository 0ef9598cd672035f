import { mkdtempSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ApprovalRecord, NewTask } from "@spoor/protocol/client";
import type { Served } from "../served.ts";

const program = fileURLToPath(new URL("waiting-claude.mjs", import.meta.url));

/** What the agent of these tests does. */
export interface WaitingStep {
  say?: string;
  read?: string;
  wrote?: string;
  ask?: { tool: string; input: Readonly<Record<string, unknown>> };
}

/** Starts an agent at the server's worker that does these steps, and waits until it asks. */
export async function waitingRun(
  served: Served,
  title: string,
  steps: readonly WaitingStep[],
  task: Partial<NewTask> = {},
): Promise<ApprovalRecord> {
  const known = await idsOf(served);
  const workspace = mkdtempSync(path.join(served.home, "work-"));
  await served.client.tasks.create({
    ...{ kind: "agent", agent: "claude", prompt: title, title, approve: "ask", start: true },
    agent_command: [process.execPath, program, JSON.stringify(steps)],
    workspace: { mode: "in_place", path: workspace },
    ...task,
  } as NewTask);
  return freshApproval(served, known);
}

/** The same in somebody's terminal process, which records through the server. */
export async function waitingInTerminal(served: Served, title: string, steps: readonly WaitingStep[]) {
  const known = await idsOf(served);
  const workspace = mkdtempSync(path.join(served.home, "work-"));
  const command = [process.execPath, program, JSON.stringify(steps)].map((word) => `'${word}'`).join(" ");
  const args = ["run", "claude", title, "--approve", "ask", "--command", command, "--data", served.data];
  const child = served.spoor(args, { cwd: workspace, stderr: "pipe" });
  child.stdout.resume();
  child.stderr?.resume();
  return { approval: await freshApproval(served, known), child };
}

export async function idsOf({ client }: Served): Promise<ReadonlySet<string>> {
  return new Set((await client.approvals.list({ status: "pending" })).data.map(({ approval_id }) => approval_id));
}

/** Waits for an approval that is not known yet. */
export async function freshApproval({ client }: Served, known: ReadonlySet<string>): Promise<ApprovalRecord> {
  for (const end = Date.now() + 100_000; Date.now() < end; await sleep(30)) {
    const { data } = await client.approvals.list({ status: "pending" });
    const fresh = data.find(({ approval_id }) => !known.has(approval_id));
    if (fresh) return fresh;
  }
  throw new Error("Nothing was asked within 100 seconds.");
}
