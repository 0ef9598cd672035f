import { type ProcessRow, readProcessTable } from "./process-table.ts";

/** A child that leads its own process group, with all its descendants. Signals go to whole groups. No method throws. */
export interface Tree {
  /** Signals the child's own group only: the child itself must stop what it started in other groups. */
  signalGroup(signal: NodeJS.Signals): boolean;
  /** Signals every group of the tree. */
  signalAll(signal: NodeJS.Signals): boolean;
  /** Sends SIGTERM to the groups that have not received it yet, because many programs skip their clean-up on a second one. */
  terminateRest(): void;
  /** Whether any process of the tree still runs. */
  isAlive(): boolean;
}

/**
 * Follows a tree through the process table. Each look remembers the members, so that a process in its own session is still
 * known after its parent has exited. A process that left the session and lost its parent before the first look is found by
 * the mark in its environment; if it has cleared that too, it cannot be found.
 */
export function createTree(root: number, { readTable = readProcessTable, isMarked }: TreeOptions = {}): Tree {
  let known = new Map<number, string>();
  const terminated = new Set<number>();

  const look = (table = readTable()): ProcessRow[] => {
    const rows = membersOf(root, known, table, isMarked);
    // If the table cannot be read, for example for lack of file descriptors, keep what was known.
    if (table.length > 0) known = new Map(rows.map((row) => [row.pid, row.started]));
    return rows;
  };

  return {
    signalGroup(signal) {
      look();
      if (signal === "SIGTERM") terminated.add(root);
      return send([root], signal);
    },
    signalAll(signal) {
      const groups = new Set([root]);
      for (let round = 0, before = 0; round < MAX_ROUNDS && before < groups.size; round += 1) {
        before = groups.size;
        for (const row of look()) groups.add(row.group);
        // Stop every group before killing it, so that no process starts a new group after the last look.
        if (signal === "SIGKILL") send(groups, "SIGSTOP");
      }
      return send(groups, signal);
    },
    terminateRest() {
      const groups = new Set(look().map((row) => row.group));
      send(
        [...groups].filter((group) => !terminated.has(group)),
        "SIGTERM",
      );
    },
    isAlive() {
      const table = readTable();
      return table.length === 0 ? send([root], 0) : look(table).some((row) => !row.isZombie);
    },
  };
}

export interface TreeOptions {
  readTable?: () => ProcessRow[];
  /** Whether a process carries the mark of this tree. */
  isMarked?: ((row: ProcessRow) => boolean) | undefined;
}

/**
 * Returns the rows that belong to a tree: those known before, the root's session and group, those that carry its mark, and
 * all their descendants. A process of the group `foreign` does not bring the others of its group along.
 */
export function membersOf(
  root: number | undefined,
  known: ReadonlyMap<number, string>,
  table: ProcessRow[],
  isMarked: (row: ProcessRow) => boolean = () => false,
  foreign?: number,
): ProcessRow[] {
  const members = new Map<number, ProcessRow>();
  const groups = new Set(root === undefined ? [] : [root]);
  const belongs = (row: ProcessRow): boolean =>
    groups.has(row.group) ||
    (root !== undefined && row.session === root) ||
    members.has(row.parent) ||
    known.get(row.pid) === row.started ||
    isMarked(row);

  for (let count = -1; count < members.size; ) {
    count = members.size;
    for (const row of table) {
      if (row.group <= 1 || members.has(row.pid) || !belongs(row)) continue;
      members.set(row.pid, row);
      if (row.group !== foreign) groups.add(row.group);
    }
  }
  return [...members.values()];
}

/** Signals groups. A group that is gone or that belongs to another user is skipped. */
function send(groups: Iterable<number>, signal: NodeJS.Signals | 0): boolean {
  let sent = false;
  for (const group of groups) {
    try {
      process.kill(-group, signal);
      sent = true;
    } catch {}
  }
  return sent;
}

const MAX_ROUNDS = 8;
