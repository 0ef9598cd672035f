import type { Rows } from "./effects.ts";
import type { Row, Table } from "./tables.ts";

/** Receives commands of a run that nobody has carried out yet. */
export type CommandListener = (commands: readonly Row<"commands">[]) => void;

/**
 * Calls the listener with the open commands of a run, those that exist and each new one, once for each command. A read that
 * fails is repeated with the next change of the table.
 */
export function createCommandWatch(
  rows: Rows,
  watchRows: (listener: (table: Table, key: string) => void) => () => void,
): (run_id: string, listener: CommandListener) => () => void {
  return (run_id, listener) => {
    /** The commands that were delivered and are still open. */
    let delivered = new Set<string>();
    let isWatching = true;
    let isDirty = true;
    let isReading = false;

    async function read(): Promise<void> {
      while (isDirty && isWatching) {
        isDirty = false;
        const open = await openCommands(rows, run_id);
        const fresh = open.filter(({ command_id }) => !delivered.has(command_id));
        delivered = new Set(open.map(({ command_id }) => command_id));
        if (fresh.length > 0 && isWatching) deliver(listener, fresh);
      }
    }
    const look = (): void => {
      isDirty = true;
      if (isReading) return;
      isReading = true;
      void read()
        .catch(() => {})
        .finally(() => {
          isReading = false;
          // A change that came while the last read ended.
          if (isDirty && isWatching) look();
        });
    };
    const unwatch = watchRows((table) => {
      if (table === "commands") look();
    });
    look();
    return () => {
      isWatching = false;
      unwatch();
    };
  };
}

/** The commands of a run that nobody has carried out yet, oldest first. */
export async function openCommands(rows: Rows, run_id: string): Promise<Row<"commands">[]> {
  const found = await rows.list("commands", { where: { run_id, done_at: null }, order: "created_at", limit: MOST });
  return found.rows;
}

/** More than anybody can have open at once; the others follow when these are done. */
const MOST = 1_000;

/** Calls a listener. One that throws affects nobody else. */
export function deliver(listener: CommandListener, commands: readonly Row<"commands">[]): void {
  try {
    listener(commands);
  } catch (error) {
    process.emitWarning(error as Error);
  }
}
