import { readFileSync } from "node:fs";

/** How many files and sockets this process may open. Node raises the soft limit to the hard one when it starts. */
export function openFileLimit(): number {
  const limit = process.platform === "linux" ? limitFromProc() : limitFromReport();
  return limit !== undefined && limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

function limitFromProc(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return limitFromReport();
  }
}

/** Undefined on Windows, which has no such limit. */
function limitFromReport(): number | undefined {
  const { report: reporter } = process;
  if (!reporter) return undefined;
  // Without this, the report resolves the host names of all connections. Node's types do not declare it yet.
  Object.assign(reporter, { excludeNetwork: true });
  const report = reporter.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(report.userLimits?.open_files?.soft);
  return Number.isNaN(soft) ? undefined : soft;
}
