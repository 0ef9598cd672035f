import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const bin = fileURLToPath(new URL("../../bin/spoor.js", import.meta.url));
export const fakeClaude = fileURLToPath(new URL("./programs/fake-claude.mjs", import.meta.url));

/** The `--command` flag that runs the fake agent. */
export const fakeCommand = ["--command", `"${process.execPath}" "${fakeClaude}"`];

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Creates a temporary home with a data directory, and functions that run the `spoor` program there as a process. */
export function createPlace(name: string) {
  const home = mkdtempSync(path.join(tmpdir(), `spoor-${name}-`));
  const data = path.join(home, "data");
  const env = { PATH: process.env.PATH, HOME: home, SPOOR_HOME: data };
  const start = (argv: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, [bin, ...argv], {
      cwd: home,
      env: { ...env, ...variables },
      stdio: ["pipe", "pipe", "pipe"],
    });
  return {
    home,
    data,
    start,
    async spoor(argv: readonly string[], input = ""): Promise<Ended> {
      const child = start(argv);
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "exit") as Promise<[number | null]>,
      ]);
      return { code, stdout, stderr };
    },
    /** Runs the program in a pseudo-terminal. Returns what the terminal receives, without carriage returns. */
    onTerminal(argv: readonly string[], columns = 80): string {
      const words = [process.execPath, bin, ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      const line = `stty cols ${columns}; exec ${words}`;
      const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], { cwd: home, env, encoding: "utf8" });
      return stdout.replaceAll("\r\n", "\n");
    },
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Whether this machine can run programs in a pseudo-terminal. */
export const hasTerminal =
  process.platform === "linux" && spawnSync("script", ["--version"], { encoding: "utf8" }).status === 0;
