import type { Environment } from "../../process/environment.ts";
import { type ProcessHandle, spawnProcess } from "../../process/spawn.ts";

/** The most output of a command that is recorded; a command that writes more is stopped. */
export const MAX_OUTPUT_BYTES: number = 10 * 1024 * 1024;

export interface CommandOptions {
  argv: readonly [program: string, ...args: string[]];
  cwd: string;
  env: Environment;
  /** The mark of the command's processes, by which they are found and ended. */
  mark: string;
  /** Milliseconds; 0 or absent is no limit. */
  timeoutMs?: number | undefined;
  maxOutputBytes?: number;
  onOutput(stream: "stdout" | "stderr", text: string): Promise<void>;
}

/** Why a command ended before its own end. */
export type CommandStop = "cancelled" | "timed_out" | "output_limit" | "lost";

export interface CommandEnd {
  code: number | null;
  signal: string | null;
  /** The command could not be started. */
  error?: Error;
  stopped?: CommandStop;
  durationMs: number;
}

export interface RunningCommand {
  readonly ended: Promise<CommandEnd>;
  /** Ends the command with SIGTERM, and SIGKILL after a grace period. The first reason counts. */
  stop(reason: CommandStop): void;
  kill(): void;
  pause(): boolean;
  resume(): boolean;
}

/** Runs a command without a terminal and without input. Its whole process tree is gone when `ended` resolves. */
export function spawnCommand(options: CommandOptions): RunningCommand {
  const { argv, cwd, env, mark, timeoutMs = 0, maxOutputBytes = MAX_OUTPUT_BYTES, onOutput } = options;
  const [command, ...args] = argv;
  const startedAt = performance.now();
  const child = spawnProcess({
    ...{ command, args, cwd, env, mark, stdin: "ignore", framing: "chunks" },
    closesInherited: true,
  });
  let stopped: CommandStop | undefined;
  const stop = (reason: CommandStop): void => {
    stopped ??= reason;
    child.terminate();
  };
  const timer = timeoutMs > 0 ? setTimeout(() => stop("timed_out"), timeoutMs) : undefined;

  const finish = async (): Promise<CommandEnd> => {
    try {
      await forward(child, maxOutputBytes, onOutput, () => stop("output_limit"));
    } finally {
      clearTimeout(timer);
    }
    const end = await child.exited;
    const durationMs = Math.round(performance.now() - startedAt);
    return { ...end, ...(stopped && { stopped }), durationMs };
  };
  return { ended: finish(), stop, kill: () => void child.kill(), pause: child.pause, resume: child.resume };
}

/** Passes output on up to the limit. If it cannot be passed on, the command must not go on unrecorded. */
async function forward(
  child: ProcessHandle,
  maxBytes: number,
  onOutput: CommandOptions["onOutput"],
  onLimit: () => void,
): Promise<void> {
  let room = maxBytes;
  try {
    for await (const { source, line } of child.output) {
      const bytes = Buffer.byteLength(line);
      if (room <= 0) continue;
      const text =
        bytes <= room
          ? line
          : Buffer.from(line)
              .subarray(0, room)
              .toString("utf8")
              .replace(/\uFFFD$/, "");
      room -= bytes;
      await onOutput(source, text);
      if (room <= 0) onLimit();
    }
  } catch (error) {
    child.kill();
    await child.exited;
    throw error;
  }
}
