import type { Log } from "../../../log/log.ts";
import { type Following, followRuns } from "./follow.ts";
import { exportOwnRuns } from "./own-runs.ts";
import { readSettings, type Settings } from "./settings.ts";

export { isFollowed } from "./exporting.ts";
export type { Following } from "./follow.ts";

export interface ExporterOptions {
  readonly log: Log;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints one line for people. */
  say(line: string): void;
}

/** Exports every run of a log when it is over, as the standard variables of OpenTelemetry say. */
export function startExporter(options: ExporterOptions): Following {
  const settings = checked(options);
  return settings ? followRuns({ ...options, settings }) : { close: async () => {} };
}

/** Exports the runs of this process, which began at `since` (epoch milliseconds). */
export async function exportAtEnd(options: ExporterOptions & { since: number }): Promise<void> {
  const settings = checked(options);
  if (settings) await exportOwnRuns({ ...options, settings });
}

function checked({ environment, say }: ExporterOptions): Settings | undefined {
  const settings = readSettings(environment);
  for (const problem of settings.problems) say(problem);
  return settings.traces || settings.metrics ? settings : undefined;
}
