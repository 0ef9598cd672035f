import { openSync, readdirSync, readFileSync } from "node:fs";

/**
 * Returns the entries of `stdio` from 3 on that hide the open files which this process inherited from its own parent: each is
 * replaced by the null device. Node closes what it opened itself, but passes on what it inherited under a high number.
 */
export function coverInherited(): readonly (number | "ignore")[] {
  entries ??= makeEntries();
  return entries;
}

let entries: readonly (number | "ignore")[] | undefined;

function makeEntries(): readonly (number | "ignore")[] {
  const inherited = new Set(list().filter((fd) => fd > 2 && !isClosedOnExec(fd)));
  if (inherited.size === 0) return [];
  const nothing = openSync("/dev/null", "r");
  return Array.from({ length: Math.max(...inherited) - 2 }, (_, at) => (inherited.has(at + 3) ? nothing : "ignore"));
}

function list(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

/** The flags are written in octal. */
function isClosedOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    // It was closed meanwhile.
    return true;
  }
}

const CLOSE_ON_EXEC = 0o2000000;
