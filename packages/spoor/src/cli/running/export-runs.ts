import type { Log } from "../../log/log.ts";
import { dataDirectory, logExists, openLog } from "../../log/open.ts";
import { wantsExport } from "../../translators/otel/exporter/settings.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** What exports the runs of a log that is followed, if the variables of OpenTelemetry ask for it. Loaded only then. */
export async function exporters(say: (line: string) => void) {
  if (!wantsExport(process.env)) return [];
  const { startExporter } = await import("../../translators/otel/exporter/index.ts");
  return [(log: Log, directory: string) => startExporter({ log, directory, environment: process.env, say })] as const;
}

/** The commands that perform runs in their own process. */
const performing: ReadonlySet<string> = new Set(["run", "resume", "demo", "execute"]);

/**
 * Exports the runs that a command performed, after it has done everything else. Nothing that goes wrong here changes how the
 * command ends.
 */
export async function exportAtEnd(
  command: string,
  data: string | undefined,
  { stderr }: Pick<Io, "stderr">,
): Promise<void> {
  if (!performing.has(command) || !wantsExport(process.env)) return;
  const directory = data ?? dataDirectory();
  const say = (line: string) => stderr.write(`${terminalSafe(line)}\n`);
  try {
    if (!logExists(directory)) return;
    const exporter = await import("../../translators/otel/exporter/index.ts");
    // Whoever follows the log exports the run; there is no need to open the log for that.
    if (exporter.isFollowed(directory)) return;
    const log = await openLog({ directory });
    try {
      const since = Date.now() - process.uptime() * 1_000 - CLOCK_MS;
      await exporter.exportAtEnd({ log, directory, environment: process.env, say, since });
    } finally {
      await log.close();
    }
  } catch (error) {
    say(`The run was recorded but not exported: ${(error as Error).message}`);
  }
}

/** Times of events and of the process may differ by so many milliseconds. */
const CLOCK_MS = 1_000;
