import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";

/** One process of the process table. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** Known on Linux only. */
  session?: number;
  /** The process is dead, and its parent has not collected its exit status yet. */
  isZombie: boolean;
  /** The start time in the system's own format. Together with the pid it identifies a process uniquely. */
  started: string;
}

/** Lists all processes of a POSIX system; empty if they cannot be listed. Synchronous, because it also runs during exit. */
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

/** Returns the start time of a process as in `ProcessRow`; empty on systems where that needs more than reading a file. */
export const startTimeOf = (pid: number, platform: NodeJS.Platform = process.platform): string =>
  platform === "linux" ? (parseStat(read(`/proc/${pid}/stat`))?.started ?? "") : "";

/** Parses `/proc/<pid>/stat`. The program's name is in parentheses and may contain any character, also parentheses. */
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

/** Parses the output of `ps -o pid=,ppid=,pgid=,stat=,lstart=`. */
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

/** Returns "" when the process has exited meanwhile. One read is enough, because a row is shorter than the buffer. */
function read(file: string): string {
  try {
    const opened = openSync(file, "r");
    try {
      return buffer.toString("latin1", 0, readSync(opened, buffer));
    } finally {
      closeSync(opened);
    }
  } catch {
    return "";
  }
}

const buffer = Buffer.allocUnsafe(4096);
