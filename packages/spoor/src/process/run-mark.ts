import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Environment } from "./environment.ts";
import type { ProcessRow } from "./process-table.ts";

/**
 * The environment variable in which every process of a run carries its marks: the runs it belongs to, the outermost first.
 * Children inherit it, so it identifies even a process that left its group and session and lost its parent.
 */
const MARK_VARIABLE = "SPOOR_RUN";

/** Returns the environment with this mark added to those it contains, or to those of our own process. */
export const withMark = (env: Environment, mark: string): Environment => ({
  ...env,
  [MARK_VARIABLE]: [env[MARK_VARIABLE] ?? process.env[MARK_VARIABLE], mark].filter((each) => each).join(","),
});

/** Returns a function that checks whether a process carries a mark. Results are cached, because marks do not change. */
export function createMarkCheck(mark: string, readMarks: MarkReader = markReader()): (row: ProcessRow) => boolean {
  const known = new Map<number, { started: string; isMarked: boolean }>();
  return ({ pid, started, isZombie }) => {
    if (isZombie || pid === process.pid) return false;
    const before = known.get(pid);
    if (before?.started === started) return before.isMarked;
    const isMarked = readMarks(pid).includes(mark);
    known.set(pid, { started, isMarked });
    return isMarked;
  };
}

export type MarkReader = (pid: number) => readonly string[];

/** We can read the environment of our own user's processes only. Other processes count as unmarked. */
function markReader(platform: NodeJS.Platform = process.platform): MarkReader {
  if (platform === "linux") return (pid) => marksIn(`\0${read(`/proc/${pid}/environ`)}`, "\0");
  if (platform === "win32") return () => [];
  let listed: Map<number, string> | undefined;
  return (pid) => {
    listed = listed?.has(pid) ? listed : listEnvironments();
    return marksIn(listed.get(pid) ?? "", " ");
  };
}

function marksIn(text: string, separator: string): string[] {
  const start = text.indexOf(`${separator}${MARK_VARIABLE}=`);
  if (start === -1) return [];
  const from = start + MARK_VARIABLE.length + 2;
  const end = text.indexOf(separator, from);
  return text.slice(from, end === -1 ? undefined : end).split(",");
}

/** Lists all processes with command line and environment, as far as the system shows the environment. */
function listEnvironments(): Map<number, string> {
  const { stdout } = spawnSync("ps", ["-A", "-E", "-ww", "-o", "pid=,command="], { encoding: "utf8", timeout: 5000 });
  const rows = (stdout ?? "").split("\n").map((line) => /^\s*(\d+)( .*)$/.exec(line));
  return new Map(rows.flatMap((row) => (row ? [[Number(row[1]), row[2] ?? ""]] : [])));
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
