import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { allGone, isRunning } from "../packages/spoor/testing/process/pids.ts";

const vitest = path.resolve(import.meta.dirname, "../node_modules/vitest/vitest.mjs");
const setup = path.resolve(import.meta.dirname, "vitest-processes.ts");

it.skipIf(process.platform === "win32")(
  "a process that ignores SIGTERM and has its own session is killed when the tests that started it are killed",
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(path.join(import.meta.dirname, "../node_modules/.cut-off-"));
    const file = path.join(folder, "pid");
    writeFileSync(path.join(folder, "vitest.config.mjs"), `export default { test: { globalSetup: ["${setup}"] } };`);
    writeFileSync(
      path.join(folder, "cut-off.test.mjs"),
      `import { spawn } from "node:child_process";
       import { writeFileSync } from "node:fs";
       import { it } from "vitest";
       it("hangs", async () => {
         const deaf = "process.on('SIGTERM', () => {}); setTimeout(() => {}, 60_000)";
         const child = spawn(process.execPath, ["-e", deaf], { stdio: "ignore", detached: true });
         writeFileSync(${JSON.stringify(file)}, String(child.pid));
         await new Promise(() => {});
       }, 60_000);`,
    );
    const args = [vitest, "run", "--root", folder, "--config", path.join(folder, "vitest.config.mjs"), "--dir", folder];
    const tests = spawn(process.execPath, args, { cwd: folder, stdio: "ignore" });
    onTestFinished(() => {
      tests.kill("SIGKILL");
      if (existsSync(file) && isRunning(pid())) process.kill(pid(), "SIGKILL");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    const pid = () => Number(readFileSync(file, "utf8"));
    await vi.waitFor(() => expect(existsSync(file) && pid() > 1).toBe(true), { timeout: 60_000 });
    expect(isRunning(pid())).toBe(true);
    tests.kill("SIGKILL");
    await once(tests, "exit");
    await allGone([pid()]);
  },
);
