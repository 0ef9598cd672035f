import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";

/**
 * Starts a process with several claimers on the log at this address, and returns what they got. With a run id, they take
 * guarded steps on that run instead of claiming.
 */
export async function startClaimer(address: string, claimers: number, run_id = ""): Promise<string[]> {
  const program = fileURLToPath(new URL("./programs/claimer.ts", import.meta.url));
  const args = ["--conditions=spoor-source", program, address, String(claimers), run_id];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(code).toBe(0);
  return JSON.parse(output);
}
