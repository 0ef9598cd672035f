import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../../../testing/cli/programs/dropping-gemini.mjs", import.meta.url));

it.skipIf(process.platform === "win32")(
  "an agent that drops output when its pipe is full drops nothing while spoor is stopped",
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "spoor-hasty-"));
    const [go, done] = [path.join(folder, "go"), path.join(folder, "done")];
    const prompt = JSON.stringify({ messages: 5_000, go, done });
    const args = ["run", "gemini", prompt, "--approve", "auto", "--data", path.join(folder, "data")];
    const command = ["--command", `"${process.execPath}" "${program}"`];
    const run = spawn(process.execPath, [bin, ...args, ...command], { stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => {
      run.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    let stdout = "";
    run.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    await vi.waitFor(() => expect(stdout).toContain("0 x"), { timeout: 60_000 });
    // A stopped process reads nothing.
    run.kill("SIGSTOP");
    writeFileSync(go, "");
    await vi.waitFor(() => expect(existsSync(done)).toBe(true), { timeout: 60_000 });
    run.kill("SIGCONT");
    const [code] = await once(run, "close");
    expect({ code, lost: readFileSync(done, "utf8") }).toEqual({ code: 0, lost: "0" });
    const numbers = stdout.match(/^\d+(?= x)/gm);
    expect(numbers).toEqual(Array.from({ length: 5_000 }, (_, n) => `${n}`));
  },
);
