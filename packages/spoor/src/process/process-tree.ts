import { type ProcessRow, readProcessTable } from "./process-table.ts";

/** A child that leads its own group, and all that came of it. Signals go to whole groups; nothing here throws. */
export interface Tree {
  /** Signals the child's own group: what it started in groups of their own is its to stop. */
  signalGroup(signal: NodeJS.Signals): boolean;
  /** Signals every group of the tree. */
  signalAll(signal: NodeJS.Signals): boolean;
  /** SIGTERM for the groups that have not had it: a second one means "at once" to many programs. */
  askToEnd(): void;
  /** Whether any of it still runs. */
  isAlive(): boolean;
}

/**
 * Follows a tree through the process table. Each look remembers who belongs, so that a process in a session of its own
 * is still known when the parent that tied it to the tree is gone. One that left the session and lost its parent before
 * the first look is known by the mark in its environment; if it has cleared that too, it is out of reach.
 */
export function createTree(root: number, { readTable = readProcessTable, bears }: TreeOptions = {}): Tree {
  let known = new Map<number, string>();
  const asked = new Set<number>();

  const look = (table = readTable()): ProcessRow[] => {
    const rows = membersOf(root, known, table, bears);
    // Where the table cannot be read, for want of free file descriptors say, what was known stays so.
    if (table.length > 0) known = new Map(rows.map((row) => [row.pid, row.started]));
    return rows;
  };

  return {
    signalGroup(signal) {
      look();
      if (signal === "SIGTERM") asked.add(root);
      return send([root], signal);
    },
    signalAll(signal) {
      const groups = new Set([root]);
      for (let round = 0, before = 0; round < MAX_ROUNDS && before < groups.size; round += 1) {
        before = groups.size;
        for (const row of look()) groups.add(row.group);
        // Held still before it is killed, so that nothing is born into a new group after the last look.
        if (signal === "SIGKILL") send(groups, "SIGSTOP");
      }
      return send(groups, signal);
    },
    askToEnd() {
      const groups = new Set(look().map((row) => row.group));
      send(
        [...groups].filter((group) => !asked.has(group)),
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
  /** Whether a process bears the mark of this tree. */
  bears?: ((row: ProcessRow) => boolean) | undefined;
}

/**
 * The rows that belong to a tree: those known before, the root's session and group, those that bear its mark, and whatever
 * descends from them.
 */
export function membersOf(
  root: number | undefined,
  known: ReadonlyMap<number, string>,
  table: ProcessRow[],
  bears: (row: ProcessRow) => boolean = () => false,
): ProcessRow[] {
  const members = new Map<number, ProcessRow>();
  const groups = new Set(root === undefined ? [] : [root]);
  const belongs = (row: ProcessRow): boolean =>
    groups.has(row.group) ||
    (root !== undefined && row.session === root) ||
    members.has(row.parent) ||
    known.get(row.pid) === row.started ||
    bears(row);

  for (let count = -1; count < members.size; ) {
    count = members.size;
    for (const row of table) {
      if (row.group <= 1 || members.has(row.pid) || !belongs(row)) continue;
      members.set(row.pid, row);
      groups.add(row.group);
    }
  }
  return [...members.values()];
}

/** Gone already, or not ours to signal: both mean that there is nothing more to do. */
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
