import type { HostExit } from "../../agents/host.ts";
import type { Environment } from "../../process/environment.ts";
import { resolveCommand } from "../../process/resolve-command.ts";
import { type ProcessHandle, spawnProcess } from "../../process/spawn.ts";
import { Tail } from "./tail.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface TerminalOptions {
  command: string;
  args: readonly string[];
  env: Environment;
  cwd: string;
  /** Distinguishes its processes from those of the agent and of other terminals. */
  mark: string;
  byteLimit?: number | undefined;
  onPrint(stream: "stdout" | "stderr", text: string): Promise<unknown> | undefined;
}

/** A command that runs for an agent, with the end of its output. */
export class Terminal {
  /** Resolves, and never rejects, once the command and all it started are gone and `onPrint` got all their output. */
  readonly exited: Promise<HostExit>;
  exit: HostExit | undefined;
  readonly #process: ProcessHandle;
  readonly #tail: Tail;
  readonly #options: TerminalOptions;

  private constructor(options: TerminalOptions, child: ProcessHandle) {
    this.#options = options;
    this.#process = child;
    this.#tail = new Tail(Math.min(options.byteLimit ?? DEFAULT_BYTES, MAX_BYTES));
    this.exited = this.#run();
  }

  static async start(options: TerminalOptions): Promise<Terminal> {
    const { env, cwd, mark } = options;
    const child = spawnProcess({ ...programOf(options), env, cwd, mark, stdin: "ignore", ...limits });
    if (child.pid === undefined) {
      const { error } = await child.exited;
      throw new WorkspaceError("failed", error?.message ?? `${options.command} could not be started.`);
    }
    return new Terminal(options, child);
  }

  get output(): { output: string; isTruncated: boolean } {
    const { text, isTruncated } = this.#tail.read();
    return { output: text, isTruncated };
  }

  /** Sends SIGTERM, and SIGKILL after the grace period. */
  terminate(): void {
    this.#process.terminate();
  }

  kill(): void {
    this.#process.kill();
  }

  setPaused(paused: boolean): void {
    if (paused) this.#process.pause();
    else this.#process.resume();
  }

  async #run(): Promise<HostExit> {
    try {
      for await (const { source, line, continues } of this.#process.output) {
        const text = continues ? line : `${line}\n`;
        this.#tail.add(text);
        await this.#options.onPrint(source, text);
      }
    } catch {
      // A bug in Spoor must not leave a running process.
      this.#process.kill();
    }
    const { code, signal } = await this.#process.exited;
    this.exit = { code, signal };
    return this.exit;
  }
}

/** Many agents send a whole command line as the program, so a shell runs it. */
function programOf({ command, args, env, cwd }: TerminalOptions): { command: string; args: readonly string[] } {
  const isLine = args.length === 0 && /[\s|&;<>$]/.test(command) && !resolveCommand(command, env, undefined, { cwd });
  if (!isLine) return { command, args };
  return process.platform === "win32"
    ? { command: "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { command: "/bin/sh", args: ["-c", command] };
}

/** Long lines are passed on in pieces as they come. */
const limits = { maxLineBytes: 32 * 1024, gracePeriodMs: 1000 };

/** How much output is kept if the agent names no limit, and at most. */
const DEFAULT_BYTES = 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
