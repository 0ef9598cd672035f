import { type ChildProcess, spawn } from "node:child_process";
import { settle } from "./end-descendants.ts";
import type { Environment } from "./environment.ts";
import { registerForKill } from "./kill-on-exit.ts";
import { type OutputFiles, openOutputFiles } from "./output-files.ts";
import { createInput, type Input } from "./process-input.ts";
import { collectOutput, type OutputLine, type OutputOptions } from "./process-output.ts";
import { startOf } from "./process-table.ts";
import { createTree } from "./process-tree.ts";
import { commandLine, resolveCommand } from "./resolve-command.ts";
import { createMarkCheck, withMark } from "./run-mark.ts";
import { startFailure } from "./start-failure.ts";
import { type Controls, createControls } from "./terminate.ts";
import { watchOver } from "./watchdog.ts";
import { createWindowsTree } from "./windows-process-tree.ts";

export interface ProcessOptions extends OutputOptions {
  /** A name on the PATH of `env`, or a path; a relative one starts at `cwd`. */
  command: string;
  args?: readonly string[] | undefined;
  /** All the child sees; nothing is inherited. `scrubEnvironment` makes one. */
  env: Environment;
  cwd: string;
  stdin: "pipe" | "ignore";
  /**
   * Stands in the environment of the process and of all it starts. With it they are found wherever they went, and end even
   * if we are killed. Letters, digits and `-`.
   */
  mark?: string | undefined;
  /** Aborting terminates. */
  signal?: AbortSignal | undefined;
  /** The program drops output when its pipe is full. Its output goes through files, or into memory without a limit. */
  dropsOnBackpressure?: true | undefined;
  /** From SIGTERM to SIGKILL. */
  gracePeriodMs?: number | undefined;
  /** How long descendants may hold the pipes, or be there at all, once the process itself has exited. */
  lingerMs?: number | undefined;
}

export interface ProcessHandle extends Input, Controls {
  /** Missing when the process could not be started. */
  pid: number | undefined;
  /**
   * To be read once. While nobody reads, the child is held up when the buffer is full; leaving the loop drops the rest
   * and lets the child go on.
   */
  output: AsyncIterableIterator<OutputLine, undefined>;
  /**
   * Resolves, and never rejects, when process and tree are gone and all they wrote is in `output`, where it stays until
   * it is read.
   */
  exited: Promise<ProcessEnd>;
}

export interface ProcessEnd {
  code: number | null;
  signal: string | null;
  /** The process could not be started. */
  error?: Error;
}

/**
 * Starts a program as the leader of its own process group and session: no terminal, no Ctrl-C meant for us. The whole
 * tree ends with it, on abort, and with this process (see the registry and, for SIGKILL, the watchdog).
 */
export function spawnProcess(options: ProcessOptions): ProcessHandle {
  const files = options.dropsOnBackpressure && !isWindows ? openOutputFiles() : undefined;
  const child = launch(options, files);
  if (child instanceof Error) {
    files?.close();
    return neverStarted(Promise.resolve(child));
  }
  const { pid } = child;
  if (pid === undefined) {
    files?.close();
    return neverStarted(new Promise((resolve) => child.once("error", (error) => resolve(failure(options, error)))));
  }

  const { signal, gracePeriodMs = 5000, lingerMs = 1000, mark } = options;
  const bears = mark === undefined ? undefined : createMarkCheck(mark);
  const tree = isWindows ? createWindowsTree(pid) : createTree(pid, { bears });
  const unregister = registerForKill(() => tree.signalAll("SIGKILL"));
  const unwatch = mark === undefined || isWindows ? undefined : watchOver({ mark, pid, started: startOf(pid) });
  const { release, ...controls } = createControls(tree, gracePeriodMs);
  signal?.addEventListener("abort", controls.terminate);
  const limits =
    options.dropsOnBackpressure && !files ? { ...options, maxBufferedBytes: Number.POSITIVE_INFINITY } : options;
  const output = collectOutput(files?.streams ?? child, limits, files?.finish);

  const finish = async (): Promise<ProcessEnd> => {
    const end = await new Promise<ProcessEnd>((resolve) =>
      child.once("exit", (code, name) => resolve({ code, signal: name })),
    );
    await settle(tree, output, lingerMs);
    signal?.removeEventListener("abort", controls.terminate);
    release();
    unregister();
    unwatch?.();
    return end;
  };
  return { pid, output: output.lines, exited: finish(), ...createInput(child.stdin), ...controls };
}

/** A child without a pid tells why by its `error` event; some failures are thrown at once. */
function launch(options: ProcessOptions, files: OutputFiles | undefined): ChildProcess | Error {
  const { command, args = [], cwd, stdin, signal, mark } = options;
  const env = mark === undefined ? options.env : withMark(options.env, mark);
  if (signal?.aborted) return new Error(`"${command}" was not started: it was aborted before.`);
  const resolved = resolveCommand(command, env, process.platform, { cwd });
  if (resolved === undefined) return failure(options);
  try {
    const { file, args: argv, verbatim } = commandLine(resolved, args, env);
    return spawn(file, argv, {
      cwd,
      env,
      stdio: [stdin, files?.fds.stdout ?? "pipe", files?.fds.stderr ?? "pipe"],
      detached: !isWindows,
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (error) {
    return failure(options, error as NodeJS.ErrnoException);
  }
}

function neverStarted(reason: Promise<Error>): ProcessHandle {
  const refuse = () => false;
  return {
    pid: undefined,
    output: nothing(),
    exited: reason.then((error) => ({ code: null, signal: null, error })),
    write: () => Promise.resolve(false),
    endInput() {},
    ...{ interrupt: refuse, terminate: refuse, kill: refuse, pause: refuse, resume: refuse },
  };
}

async function* nothing(): AsyncGenerator<never, undefined> {}

const failure = ({ command, cwd }: ProcessOptions, cause?: NodeJS.ErrnoException): Error =>
  startFailure(command, cwd, cause);

const isWindows = process.platform === "win32";
