import { openCommands } from "../../log/watch-commands.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import { COMMANDS_WAIT_MS, type OpenCommands } from "./messages.ts";

/** Waits for open commands of a run that are not delivered yet. Returns none after a while, or when the connection ends. */
export async function waitForCommands(
  log: RecorderLog,
  { run_id, delivered }: { run_id: string; delivered: readonly string[] },
  stopping: AbortSignal,
): Promise<OpenCommands> {
  const known = new Set(delivered);
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, COMMANDS_WAIT_MS).unref();
  stopping.addEventListener("abort", () => resolve(), { once: true });
  if (stopping.aborted) resolve();
  const unwatch = log.watchCommands(run_id, (commands) => {
    if (commands.some(({ command_id }) => !known.has(command_id))) resolve();
  });
  try {
    await promise;
    const all = await openCommands(log.rows, run_id);
    return {
      commands: all.filter(({ command_id }) => !known.has(command_id)),
      open: all.map(({ command_id }) => command_id),
    };
  } finally {
    clearTimeout(timer);
    unwatch();
  }
}
