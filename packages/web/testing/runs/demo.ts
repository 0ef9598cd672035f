import type { ChildProcess } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Served } from "../served.ts";

/** Plays `spoor demo` to its end, as a process in a terminal would. Returns the id of its run. */
export async function demoRun(served: Served): Promise<string> {
  const child = served.spoor(["demo", "--yes", "--json", "--data", served.data]);
  const [line = ""] = (await text(child.stdout)).split("\n", 1);
  return (JSON.parse(line) as { run_id: string }).run_id;
}

/** Plays `spoor demo` up to its question, which nobody has answered. The process goes on until the place is closed. */
export async function waitingDemo(
  served: Served,
): Promise<{ run_id: string; approval_id: string; child: ChildProcess; workspace: string }> {
  // Another demo may ask at the same time and answer itself. The question of this one comes from this folder.
  const workspace = realpathSync(mkdtempSync(path.join(served.home, "demo-")));
  const child = served.spoor(["demo", "--ask", "--data", served.data], { cwd: workspace, scratch: workspace });
  child.stdout.resume();
  for (const end = Date.now() + 100_000; Date.now() < end; await sleep(30)) {
    const fresh = (await pending(served)).find(({ cwd }) => cwd?.startsWith(workspace));
    if (fresh) return { run_id: fresh.run_id, approval_id: fresh.approval_id, child, workspace };
  }
  throw new Error("The demo asked nothing within 100 seconds.");
}

async function pending({ client }: Served) {
  return (await client.approvals.list({ status: "pending" })).data;
}
