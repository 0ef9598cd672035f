import { readFileSync } from "node:fs";
import { parseStat, readProcessTable } from "../../packages/spoor/src/process/process-table.ts";

export interface HomeProcess {
  pid: number;
  group: number;
  /** As in `/proc`: `T` is stopped. */
  state: string;
  command: string;
}

/** The living processes whose environment names this home, whoever is their parent by now. */
export function processesOf(home: string): HomeProcess[] {
  return readProcessTable().flatMap(({ pid }) => {
    const stat = read(`/proc/${pid}/stat`);
    const row = parseStat(stat);
    if (!row || row.isZombie || !read(`/proc/${pid}/environ`).includes(home)) return [];
    const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
    const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
    return [{ pid, group: row.group, state, command }];
  });
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // The process has ended.
    return "";
  }
}
