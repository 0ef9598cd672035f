import { type ChildProcess, spawn } from "node:child_process";
import { endDescendants } from "./end-descendants.ts";
import type { Environment } from "./environment.ts";
import { coverInherited } from "./inherited-files.ts";
import { registerForKill } from "./kill-on-exit.ts";
import { type OutputFiles, openOutputFiles } from "./output-files.ts";
import { createInput, type Input } from "./process-input.ts";
import { collectOutput, type OutputLine, type OutputOptions } from "./process-output.ts";
import { startTimeOf } from "./process-table.ts";
import { createTree } from "./process-tree.ts";
import { commandLine, resolveCommand } from "./resolve-command.ts";
import { createMarkCheck, withMark } from "./run-mark.ts";
import { startFailure } from "./start-failure.ts";
import { type Controls, createControls } from "./terminate.ts";
import { watchOver } from "./watchdog.ts";
import { createWindowsTree } from "./windows-process-tree.ts";

export interface ProcessOptions extends OutputOptions {
  /** A name on the PATH of `env`, or a path; a relative path is resolved against `cwd`. */
  command: string;
  args?: readonly string[] | undefined;
  /** The child's whole environment; nothing is inherited. `scrubEnvironment` and `inheritEnvironment` make one. */
  env: Environment;
  cwd: string;
  stdin: "pipe" | "ignore";
  /**
   * A mark in the environment of the process and of its descendants. It lets us find them after they left the process tree,
   * and end them even if this process is killed. Letters, digits and `-`.
   */
  mark?: string | undefined;
  /** The process gets no open file that this process inherited from its own parent. Linux only. */
  closesInherited?: true | undefined;
  /** Aborting calls `terminate`. */
  signal?: AbortSignal | undefined;
  /** The program drops output when its pipe is full. Its output goes through files, or into memory without a limit. */
  dropsOnBackpressure?: true | undefined;
  /** The time between SIGTERM and SIGKILL. */
  gracePeriodMs?: number | undefined;
  /** How long descendants may run after the process itself has exited. */
  lingerMs?: number | undefined;
}

export interface ProcessHandle extends Input, Controls {
  /** Undefined when the process could not be started. */
  pid: number | undefined;
  /**
   * Can be read once. While nobody reads, the child is blocked when the buffer is full (backpressure). Leaving the loop drops
   * the rest, and the child continues.
   */
  output: AsyncIterableIterator<OutputLine, undefined>;
  /**
   * Resolves when the process and its descendants are gone and all their output is in `output`, where it stays until it is
   * read. Never rejects.
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
 * Starts a program as the leader of its own process group and session, so that it has no terminal and receives no Ctrl-C
 * meant for us. Its whole process tree is ended when it exits, on abort, and when this process ends (`kill-on-exit.ts`; after
 * SIGKILL, `watchdog.ts`).
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
  const isMarked = mark === undefined ? undefined : createMarkCheck(mark);
  const tree = isWindows ? createWindowsTree(pid) : createTree(pid, { isMarked });
  const unregister = registerForKill(() => tree.signalAll("SIGKILL"));
  const unwatch = mark === undefined || isWindows ? undefined : watchOver({ mark, pid, started: startTimeOf(pid) });
  const { release, ...controls } = createControls(tree, gracePeriodMs);
  signal?.addEventListener("abort", controls.terminate);
  const limits =
    options.dropsOnBackpressure && !files ? { ...options, maxBufferedBytes: Number.POSITIVE_INFINITY } : options;
  const output = collectOutput(files?.streams ?? child, limits, files?.finish);

  const finish = async (): Promise<ProcessEnd> => {
    const end = await new Promise<ProcessEnd>((resolve) =>
      child.once("exit", (code, name) => resolve({ code, signal: name })),
    );
    await endDescendants(tree, output, lingerMs);
    signal?.removeEventListener("abort", controls.terminate);
    release();
    unregister();
    unwatch?.();
    return end;
  };
  return { pid, output: output.lines, exited: finish(), ...createInput(child.stdin), ...controls };
}

/** A child without a pid reports the reason in its `error` event; some failures are thrown immediately. */
function launch(options: ProcessOptions, files: OutputFiles | undefined): ChildProcess | Error {
  const { command, args = [], cwd, stdin, signal, mark } = options;
  const env = mark === undefined ? options.env : withMark(options.env, mark);
  if (signal?.aborted) return new Error(`"${command}" was not started, because its signal was already aborted.`);
  const resolved = resolveCommand(command, env, process.platform, { cwd });
  if (resolved === undefined) return failure(options);
  try {
    const { file, args: argv, verbatim } = commandLine(resolved, args, env);
    return spawn(file, argv, {
      cwd,
      env,
      stdio: [
        stdin,
        files?.fds.stdout ?? "pipe",
        files?.fds.stderr ?? "pipe",
        ...(options.closesInherited ? coverInherited() : []),
      ],
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
