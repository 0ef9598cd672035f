import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Environment } from "./environment.ts";
import type { ProcessRow } from "./process-table.ts";

/**
 * Names, in the environment of every process of a run, the runs it belongs to, the outermost first. Children inherit it,
 * and so it tells where a process belongs that left its group and its session and lost its parent.
 */
export const MARK_VARIABLE = "SPOOR_RUN";

/** The environment of a process that bears this mark besides those it has, or those that we bear ourselves. */
export const withMark = (env: Environment, mark: string): Environment => ({
  ...env,
  [MARK_VARIABLE]: [env[MARK_VARIABLE] ?? process.env[MARK_VARIABLE], mark].filter((each) => each).join(","),
});

/** Tells which processes bear a mark. What was found out about a process is kept, for a mark does not change. */
export function createMarkCheck(mark: string, readMarks: MarkReader = markReader()): (row: ProcessRow) => boolean {
  const known = new Map<number, { started: string; bears: boolean }>();
  return ({ pid, started, isZombie }) => {
    if (isZombie || pid === process.pid) return false;
    const before = known.get(pid);
    if (before?.started === started) return before.bears;
    const bears = readMarks(pid).includes(mark);
    known.set(pid, { started, bears });
    return bears;
  };
}

export type MarkReader = (pid: number) => readonly string[];

/** Only processes of our own user let us read this. Where it cannot be read, a process bears no mark. */
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

/** The command lines of all processes with their environments behind, where the system shows those. */
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
