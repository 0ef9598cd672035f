import { readFileSync } from "node:fs";

/** How many files and sockets this process may have open; Node raises the soft limit to the hard one at its start. */
export function mostDescriptors(): number {
  const limit = process.platform === "linux" ? limitOfLinux() : limitOfReport();
  return limit !== undefined && limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

function limitOfLinux(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return limitOfReport();
  }
}

/** Windows has no such limit, and its report names none. */
function limitOfReport(): number | undefined {
  const { report: reporter } = process;
  if (!reporter) return undefined;
  // Looking up the names of all connections would take long. The types do not know the switch yet.
  Object.assign(reporter, { excludeNetwork: true });
  const report = reporter.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(report.userLimits?.open_files?.soft);
  return Number.isNaN(soft) ? undefined : soft;
}
