import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../../log/log.ts";
import type { FileLock } from "../../../log/sqlite/file-lock.ts";
import { ownWorkerId } from "../../../runtime/worker.ts";
import { type EndedRun, endedAfter } from "./ended-runs.ts";
import { Exporting, type ExportOptions, isFollowed, takeExportLock } from "./exporting.ts";
import { CATCH_UP_MS } from "./follow.ts";
import { Ledger } from "./ledger.ts";
import type { Settings, Signal } from "./settings.ts";

/** A command waits at most this long for the receiver, in milliseconds. */
const LONGEST_MS = 5_000;
const RETRY_MS = 50;
const TOO_LONG =
  "The export of runs took too long and was stopped. What is missing is exported by the next command or server " +
  "that exports; a server takes the time that a large run needs.";

/**
 * Exports the runs that this process performed, and those that processes before it could not, when nobody follows the log.
 * What cannot be sent in time is marked in the log, and the next process that exports sends it.
 */
export async function exportOwnRuns(options: ExportOptions & { since: number }): Promise<void> {
  const { log, directory, settings, since } = options;
  if (isFollowed(directory)) return;
  const signals = (["traces", "metrics"] as const).filter((signal) => settings[signal] !== undefined);
  const own = await ownRuns(log, since);
  const ledger = await Ledger.open(log);
  // Marked before anything is sent: whoever begins to follow the log now exports them, and nobody does so twice.
  for (const signal of signals) if (own.length > 0) await ledger.mark(signal, own, false);
  const ending = AbortSignal.timeout(LONGEST_MS);
  const lock = await takeLock(directory, ending);
  if (lock === "held") return;
  try {
    await exportMarked({ ...options, settings: inTime(settings), mostAttempts: 1 }, signals, ending);
    if (ending.aborted) options.say(TOO_LONG);
  } finally {
    lock?.release();
  }
}

async function exportMarked(options: ExportOptions, signals: readonly Signal[], ending: AbortSignal): Promise<void> {
  const exporting = await Exporting.open(options);
  try {
    await Promise.all(
      signals.map(async (signal) => {
        await exporting.exportMarked(signal, ending);
        if (signal === "metrics") await exporting.sendMetrics(ending);
        await exporting.ledger.forgetDone(signal, Date.now() - CATCH_UP_MS);
      }),
    );
  } finally {
    exporting.close();
  }
}

async function takeLock(directory: string, ending: AbortSignal): Promise<FileLock | "held" | undefined> {
  for (;;) {
    const lock = takeExportLock(directory);
    if (lock !== "held" || ending.aborted || isFollowed(directory)) return lock;
    await sleep(RETRY_MS);
  }
}

/** The runs that this process performed and that are over. `since`: when it began, in epoch milliseconds. */
async function ownRuns(log: Log, since: number): Promise<EndedRun[]> {
  const own: EndedRun[] = [];
  const worker = ownWorkerId();
  for (let after = await log.positionBefore(since), more = true; more; ) {
    const page = await endedAfter(log, after);
    for (const run of page.ended) {
      if ((await log.run(run.run_id))?.worker_id === worker) own.push(run);
    }
    ({ next: after, more } = page);
  }
  return own;
}

/** A receiver that does not answer is given up early enough to say so. */
function inTime(settings: Settings): Settings {
  const limit = <T extends { timeoutMs: number }>(one: T): T => ({
    ...one,
    timeoutMs: Math.min(one.timeoutMs, LONGEST_MS - 500),
  });
  return {
    ...settings,
    ...(settings.traces && { traces: limit(settings.traces) }),
    ...(settings.metrics && { metrics: limit(settings.metrics) }),
  };
}
