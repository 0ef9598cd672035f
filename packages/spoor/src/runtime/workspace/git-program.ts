import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";

/** How a git command ended. */
export interface GitOutcome {
  /** -1 if it could not start or a signal ended it. */
  code: number;
  stdout: Buffer;
  stderr: string;
}

export interface GitCall {
  /** The absolute path of git, from `findGit`. */
  program: string;
  args: readonly string[];
  cwd: string;
  /** Added to the few variables that git gets. The user's own variables are left out, because they could run programs. */
  variables?: Readonly<Record<string, string>>;
  input?: Buffer;
  /** Takes the output in pieces. Then `stdout` is empty. */
  onOutput?: ((piece: Buffer) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Runs git without the user's configuration, without hooks and without questions. Never rejects. */
export function runGit({ program, args, cwd, variables, input, onOutput, signal }: GitCall): Promise<GitOutcome> {
  return new Promise((resolve) => {
    const stdout: Buffer[] = [];
    let stderr = "";
    // Its own process group: Ctrl-C at a terminal is meant for the agent, and must not break a snapshot off.
    const child = spawn(program, args, {
      cwd,
      env: { ...gitEnvironment(), ...variables },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      windowsHide: true,
      ...(signal && { signal, killSignal: "SIGKILL" }),
    });
    child.stdout.on("data", onOutput ?? ((data: Buffer) => stdout.push(data)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < MAX_STDERR) stderr += text;
    });
    // Git may end before it has read its input. Its exit code says why.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("error", (error) => resolve({ code: -1, stdout: Buffer.alloc(0), stderr: error.message }));
    child.on("close", (code) => resolve({ code: code ?? -1, stdout: Buffer.concat(stdout), stderr }));
  });
}

/** Returns the absolute path of git. Relative entries of PATH, and those in `except`, are skipped: an agent can write there. */
export function findGit(except: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const names = process.platform === "win32" ? ["git.exe", "git.cmd"] : ["git"];
  for (const folder of (environment.PATH ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder) || isInside(except, folder)) continue;
    for (const name of names) {
      const program = path.join(folder, name);
      try {
        accessSync(program, constants.X_OK);
        return program;
      } catch {
        // It is not in this folder.
      }
    }
  }
  return undefined;
}

/** Whether `inner` is `outer` or lies below it. Both must be absolute. */
export function isInside(outer: string, inner: string): boolean {
  const relative = path.relative(outer, inner);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

const MAX_STDERR = 16_384;

function gitEnvironment(): Record<string, string> {
  const { PATH = "", SystemRoot } = process.env;
  return {
    PATH,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    ...(SystemRoot !== undefined && { SystemRoot }),
  };
}
