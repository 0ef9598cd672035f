import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that runs. */
export interface Started {
  /** The process group of the command. */
  pid: number;
  ended: Promise<Ended>;
  /** What it has written to standard output so far; on a terminal, everything that the terminal shows. */
  printed(): string;
}

const bin = fileURLToPath(new URL("../../packages/spoor/bin/spoor.js", import.meta.url));

const compiled = fileURLToPath(new URL("../node_modules/.cache/spoor-compiled", import.meta.url));

/** Starts the command `spoor` as processes in one environment. */
export class SpoorCommands {
  readonly #env: Record<string, string>;
  readonly #cwd: string;

  constructor(env: Record<string, string>, cwd: string) {
    this.#env = env;
    this.#cwd = cwd;
  }

  /** To its end. These commands share their compiled code, which makes them three times as fast. */
  run(argv: readonly string[], input = ""): Promise<Ended> {
    return this.start(argv, input, argv[0] === "run" ? {} : { NODE_COMPILE_CACHE: compiled }).ended;
  }

  start(argv: readonly string[], input = "", more: Record<string, string> = {}): Started {
    const child = this.#spawn(process.execPath, [bin, ...argv], more);
    child.stdin?.end(input);
    return followed(child);
  }

  /** In a pseudo-terminal at which nobody types. */
  startOnTerminal(argv: readonly string[]): Started {
    const line = [process.execPath, bin, ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    return followed(this.#spawn("script", ["-qec", line, "/dev/null"]));
  }

  #spawn(command: string, args: readonly string[], more: Record<string, string> = {}): ChildProcess {
    const env = { ...this.#env, ...more };
    return spawn(command, args, { cwd: this.#cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  }
}

function followed(child: ChildProcess): Started {
  const { pid = 0 } = child;
  let stdout = "";
  let stderr = "";
  child.stdin?.on("error", () => {});
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { pid, ended, printed: () => stdout };
}
