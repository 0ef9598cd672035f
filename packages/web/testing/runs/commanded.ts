import { mkdtempSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Served } from "../served.ts";

const program = fileURLToPath(new URL("../../../spoor/testing/cli/programs/commanded-claude.mjs", import.meta.url));

/**
 * Runs an agent in somebody's terminal. It does what the words of its prompt say: `question` asks a question, `ask` asks for
 * permission, `hang` works until it is told to stop, `half` does so amid a sentence; other words are said. Resolves when the run is known.
 */
export async function commandedRun(served: Served, prompt: string): Promise<string> {
  const workspace = mkdtempSync(path.join(served.home, "project-"));
  const known = new Set(await runIds(served));
  const command = [process.execPath, program].map((word) => `"${word}"`).join(" ");
  const args = ["run", "claude", prompt, "--command", command, "--approve", "ask", "--data", served.data];
  const child = served.spoor([...args, "--cwd", workspace], { cwd: workspace });
  child.stdout.resume();
  for (const end = Date.now() + 100_000; Date.now() < end; await sleep(30)) {
    const fresh = (await runIds(served)).find((id) => !known.has(id));
    if (fresh) return fresh;
  }
  throw new Error("The run did not begin within 100 seconds.");
}

const runIds = async ({ client }: Served): Promise<string[]> =>
  (await client.runs.list({ limit: 20 })).data.map(({ run_id }) => run_id);
