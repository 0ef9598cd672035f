import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Served } from "../served.ts";

const program = fileURLToPath(new URL("./asking-claude.mjs", import.meta.url));

/** What the agent does: it says something, waits, uses a tool (for ever, without a result), or asks before it uses one. */
export type Step =
  | { say: string }
  | { wait: number }
  | { use: string; input: Record<string, unknown>; result?: string; details?: unknown }
  | { ask: string; input: Record<string, unknown> };

/** Runs an agent that asks for permission, in a terminal at which nobody sits. Resolves when its first question waits. */
export async function askingRun(
  served: Served,
  prompt: string,
  steps: readonly Step[],
  name?: string,
): Promise<{ run_id: string; approval_id: string; workspace: string }> {
  const known = new Set(await pending(served));
  const workspace = startAgent(served, prompt, steps, name);
  for (const end = Date.now() + 100_000; Date.now() < end; await sleep(30)) {
    const fresh = (await served.client.approvals.list({ status: "pending" })).data.find(
      ({ approval_id }) => !known.has(approval_id),
    );
    if (fresh) return { run_id: fresh.run_id, approval_id: fresh.approval_id, workspace };
  }
  throw new Error("The agent asked nothing within 100 seconds.");
}

/** Starts the agent in a folder of its own of this name, whose path is returned. */
export function startAgent(served: Served, prompt: string, steps: readonly Step[], name = "project"): string {
  const workspace = newFolder(path.join(served.home, name));
  const file = `${workspace}.json`;
  writeFileSync(file, JSON.stringify(steps));
  const command = [process.execPath, program, file].map((word) => `"${word}"`).join(" ");
  const child = served.spoor(
    ["run", "claude", prompt, "--command", command, "--approve", "ask", "--data", served.data, "--cwd", workspace],
    { cwd: workspace },
  );
  child.stdout.resume();
  return workspace;
}

/** Makes a folder of this name, or of a longer one if there is one already. */
function newFolder(name: string): string {
  if (existsSync(name)) return mkdtempSync(`${name}-`);
  mkdirSync(name);
  return name;
}

const pending = async ({ client }: Served): Promise<string[]> =>
  (await client.approvals.list({ status: "pending" })).data.map(({ approval_id }) => approval_id);
