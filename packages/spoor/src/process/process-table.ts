import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";

/** One process as the system lists it. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** Only Linux tells. */
  session?: number;
  /** Dead, and waiting for its parent to take notice. */
  isZombie: boolean;
  /** When it started, in whatever form the system has; together with the pid it names one process for good. */
  started: string;
}

/** All processes of a POSIX system; empty where it cannot be told. Synchronous, for it is also read while we exit. */
export function readProcessTable(platform: NodeJS.Platform = process.platform): ProcessRow[] {
  if (platform === "linux") {
    return list("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => parseStat(read(`/proc/${pid}/stat`)))
      .filter((row) => row !== undefined);
  }
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
    timeout: 5000,
  });
  return parsePs(stdout ?? "");
}

/** When a process started, in the form of the table; empty where that takes more than reading a file. */
export const startOf = (pid: number, platform: NodeJS.Platform = process.platform): string =>
  platform === "linux" ? (parseStat(read(`/proc/${pid}/stat`))?.started ?? "") : "";

/** Reads `/proc/<pid>/stat`. The name of the program stands in parentheses and may itself hold any character. */
export function parseStat(text: string): ProcessRow | undefined {
  const nameEnd = text.lastIndexOf(")");
  if (nameEnd === -1) return undefined;
  const [state, parent, group, session, ...others] = text.slice(nameEnd + 2).split(" ");
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isZombie: state === "Z" || state === "X",
    started: others[15] ?? "",
  };
}

/** Reads what `ps -o pid=,ppid=,pgid=,stat=,lstart=` prints. */
export function parsePs(text: string): ProcessRow[] {
  return text.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (match === null) return [];
    const [, pid, parent, group, state = "", started = ""] = match;
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        isZombie: state.startsWith("Z"),
        started: started.trim(),
      },
    ];
  });
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A process may end between being listed and being read. A row is shorter than this; a second read would find nothing. */
function read(file: string): string {
  try {
    const opened = openSync(file, "r");
    try {
      return room.toString("latin1", 0, readSync(opened, room));
    } finally {
      closeSync(opened);
    }
  } catch {
    return "";
  }
}

const room = Buffer.allocUnsafe(4096);
