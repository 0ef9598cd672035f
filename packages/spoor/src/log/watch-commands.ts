import type { Rows } from "./effects.ts";
import type { Row, Table } from "./tables.ts";

/** Receives commands of a run that nobody has carried out yet. */
export type CommandListener = (commands: readonly Row<"commands">[]) => void;

/**
 * Calls the listener with the open commands of a run, those that exist and each new one, once for each command. After the first
 * look only rows that changed are read, because a run may have many commands that are done. A read that fails is
 * repeated with the next change of the table.
 */
export function createCommandWatch(
  rows: Rows,
  watchRows: (listener: (table: Table, key: string) => void) => () => void,
): (run_id: string, listener: CommandListener) => () => void {
  return (run_id, listener) => {
    /** The commands that were delivered and are still open. */
    const delivered = new Set<string>();
    /** The rows that changed. */
    let changed = new Set<string>();
    let isWatching = true;
    let mustList = true;
    let isReading = false;

    const hasWork = (): boolean => isWatching && (mustList || changed.size > 0);

    async function read(): Promise<void> {
      while (hasWork()) {
        const keys = changed;
        changed = new Set();
        const open = mustList ? await openCommands(rows, run_id) : await those(keys);
        mustList = false;
        for (const key of keys) if (!open.some(({ command_id }) => command_id === key)) delivered.delete(key);
        const fresh = open.filter(({ command_id }) => !delivered.has(command_id));
        for (const { command_id } of fresh) delivered.add(command_id);
        if (fresh.length > 0 && isWatching) deliver(listener, fresh);
      }
    }

    async function those(keys: ReadonlySet<string>): Promise<Row<"commands">[]> {
      const found = await Promise.all([...keys].map((key) => rows.find("commands", key)));
      return found.filter((row) => row !== undefined).filter((row) => row.run_id === run_id && row.done_at === null);
    }

    const look = (): void => {
      if (isReading) return;
      isReading = true;
      void read()
        .catch(() => {
          mustList = true;
        })
        .finally(() => {
          isReading = false;
          // A change that came while the last read ended.
          if (changed.size > 0 && isWatching) look();
        });
    };
    const unwatch = watchRows((table, key) => {
      if (table !== "commands") return;
      changed.add(key);
      look();
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
