import type { Log } from "../../log/log.ts";
import type { Row } from "../../log/tables.ts";

/**
 * Waits until a command has an outcome, at most this long, and returns its row as it is then.
 *
 * @example
 * const { command } = await sendCommand(log, { run_id, kind: "cancel", by: "ann" });
 * const { outcome, detail } = (await waitForCommand(log, command.command_id, { timeoutMs: 5_000 })) ?? {};
 * if (outcome === "refused") console.log(detail);
 */
export async function waitForCommand(
  log: Log,
  command_id: string,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Row<"commands"> | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Row<"commands"> | undefined>();
  const look = (): void => {
    log.rows.find("commands", command_id).then((row) => {
      if (!row || row.done_at !== null) resolve(row);
    }, reject);
  };
  const end = (): void => {
    log.rows.find("commands", command_id).then(resolve, reject);
  };
  const unwatch = log.watchRows((table, key) => {
    if (table === "commands" && key === command_id) look();
  });
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener("abort", end, { once: true });
  const over = (): void => resolve(undefined);
  log.closed.addEventListener("abort", over, { once: true });
  look();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    log.closed.removeEventListener("abort", over);
    unwatch();
  }
}
