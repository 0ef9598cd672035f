import type { OutputLine } from "./process-output.ts";
import { type ProcessHandle, type ProcessOptions, spawnProcess } from "./spawn.ts";

/**
 * Starts a process when `before` resolves. Input written before that is queued. If the process is ended before that, it is
 * never started, and its result is the same as if the signal had ended it. If `before` rejects, the start has failed.
 */
export function spawnAfter(before: PromiseLike<unknown>, options: ProcessOptions): ProcessHandle {
  let child: ProcessHandle | undefined;
  let endedBy: string | undefined;
  const waiting: ((child: ProcessHandle) => void)[] = [];
  const refused = Promise.withResolvers<false>();

  const started = Promise.race([before, refused.promise]).then(
    () => {
      if (endedBy !== undefined) return undefined;
      child = spawnProcess(options);
      for (const act of waiting) act(child);
      return child;
    },
    (error: unknown) => {
      refused.resolve(false);
      const reason = error instanceof Error ? error.message : String(error);
      return new Error(`"${options.command}" was not started: ${reason}`, { cause: error });
    },
  );
  const whenStarted = (act: (child: ProcessHandle) => void): void => {
    if (child) act(child);
    else waiting.push(act);
  };
  const end = (how: "interrupt" | "terminate" | "kill", signal: string) => (): boolean => {
    if (child) return child[how]();
    endedBy ??= signal;
    refused.resolve(false);
    return true;
  };

  return {
    get pid() {
      return child?.pid;
    },
    output: outputOf(started),
    exited: started.then((start) => {
      if (start instanceof Error) return { code: null, signal: null, error: start };
      return start?.exited ?? { code: null, signal: endedBy ?? null };
    }),
    write: (text) =>
      Promise.race([
        refused.promise,
        new Promise<boolean>((resolve) => whenStarted((started) => resolve(started.write(text)))),
      ]),
    endInput: () => whenStarted((started) => started.endInput()),
    interrupt: end("interrupt", "SIGINT"),
    terminate: end("terminate", "SIGTERM"),
    kill: end("kill", "SIGKILL"),
    pause() {
      whenStarted((started) => started.pause());
      return true;
    },
    resume() {
      whenStarted((started) => started.resume());
      return true;
    },
  };
}

async function* outputOf(started: Promise<ProcessHandle | Error | undefined>): AsyncGenerator<OutputLine, undefined> {
  const start = await started;
  if (start && !(start instanceof Error)) yield* start.output;
}
