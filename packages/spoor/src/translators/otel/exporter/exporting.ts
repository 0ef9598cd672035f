import path from "node:path";
import type { Log } from "../../../log/log.ts";
import { type FileLock, isLocked, takeLock } from "../../../log/sqlite/file-lock.ts";
import type { Measure } from "../measures.ts";
import { attributesOf, type OtlpResource } from "../otlp.ts";
import { metricsOf } from "../totals.ts";
import type { EndedRun } from "./ended-runs.ts";
import { Ledger } from "./ledger.ts";
import { createNotices } from "./notices.ts";
import { isExported, measuresOfRun, requestsOf, spansOfRun } from "./send-runs.ts";
import { createSender, type Sender } from "./sender.ts";
import type { Settings, Signal, SignalSettings } from "./settings.ts";

export interface ExportOptions {
  readonly log: Log;
  readonly directory: string;
  readonly settings: Settings;
  /** Prints one line for people. */
  say(line: string): void;
  /** How often a request is sent to a receiver that cannot be reached. Absent: as often as it takes. */
  readonly mostAttempts?: number;
}

/** What an exporter of a log does with its runs. Only who holds the lock `otlp.lock` uses it. */
export class Exporting {
  readonly ledger: Ledger;
  readonly senders: Partial<Record<Signal, Sender>>;
  readonly #log: Log;
  readonly #content: boolean;
  readonly #resource: OtlpResource;

  static async open({ log, settings, say, mostAttempts }: ExportOptions): Promise<Exporting> {
    const ledger = await Ledger.open(log);
    const options = { notices: createNotices(say), ...(mostAttempts !== undefined && { mostAttempts }) };
    const create = (signal: Signal, chosen: SignalSettings | undefined) =>
      chosen ? { [signal]: createSender(signal, chosen, options) } : {};
    const senders = { ...create("traces", settings.traces), ...create("metrics", settings.metrics) };
    return new Exporting(log, ledger, senders, settings);
  }

  private constructor(log: Log, ledger: Ledger, senders: Exporting["senders"], { content, resource }: Settings) {
    this.#log = log;
    this.ledger = ledger;
    this.senders = senders;
    this.#content = content;
    this.#resource = { attributes: attributesOf({ "service.instance.id": ledger.instance, ...resource }) };
  }

  /**
   * Sends the traces of runs, in order. `onSent` is called after each request with the runs that are wholly sent. Returns
   * false if `signal` ended it.
   */
  async sendTraces(
    runs: readonly EndedRun[],
    signal: AbortSignal,
    onSent: (runs: readonly EndedRun[]) => Promise<void>,
  ): Promise<boolean> {
    const { traces } = this.senders;
    let spans: Awaited<ReturnType<typeof spansOfRun>> = [];
    let collected: EndedRun[] = [];
    for (const [index, run] of runs.entries()) {
      if (await isExported(this.#log, run.run_id)) {
        spans = spans.concat(await spansOfRun(this.#log, run.run_id, this.#content, signal));
      }
      if (signal.aborted) return false;
      collected.push(run);
      if (spans.length < ENOUGH_SPANS && index + 1 < runs.length) continue;
      for (const request of requestsOf(spans, this.#resource)) {
        if (!(await traces?.send(() => request, signal))) return false;
      }
      await onSent(collected);
      spans = [];
      collected = [];
    }
    return true;
  }

  /** What runs add to the metrics. It is not complete if `signal` aborts. */
  async measures(runs: readonly EndedRun[], signal?: AbortSignal): Promise<Measure[]> {
    let all: Measure[] = [];
    for (const { run_id } of runs) {
      if (await isExported(this.#log, run_id)) all = all.concat(await measuresOfRun(this.#log, run_id, signal));
    }
    return all;
  }

  /** Sends the metrics as they are now. */
  async sendMetrics(signal: AbortSignal): Promise<void> {
    const message = () => metricsOf(this.ledger.totals, Date.now(), this.#resource);
    if (Object.keys(this.ledger.totals.series).length > 0) await this.senders.metrics?.send(message, signal);
  }

  /** Exports the marked runs that are not done. Returns when all are done or `signal` aborts. */
  async exportMarked(name: Signal, signal: AbortSignal): Promise<void> {
    const waiting = (await this.ledger.marks(name)).filter(({ isDone }) => !isDone);
    if (name === "traces") {
      const done = (sent: readonly EndedRun[]) => this.ledger.mark(name, sent, true);
      // A command has little time: a run that takes all of it must not keep the others waiting for ever.
      for (const runs of await this.#smallFirst(waiting)) if (!(await this.sendTraces(runs, signal, done))) return;
      return;
    }
    for (const run of waiting) {
      const measures = await this.measures([run], signal);
      if (signal.aborted) return;
      await this.ledger.addMeasures(measures, { run });
    }
  }

  /** The small runs together, then each large one, the smallest first. */
  async #smallFirst(runs: readonly EndedRun[]): Promise<EndedRun[][]> {
    const sized = await Promise.all(
      runs.map(async (run) => ({ run, size: (await this.#log.run(run.run_id))?.last_sequence ?? 0 })),
    );
    const large = sized.filter(({ size }) => size > LARGE_RUN).sort((a, b) => a.size - b.size);
    const small = sized.filter(({ size }) => size <= LARGE_RUN);
    return [small.map(({ run }) => run), ...large.map(({ run }) => [run])];
  }

  close(): void {
    for (const sender of Object.values(this.senders)) sender.close();
  }
}

/** Small runs share a request. */
const ENOUGH_SPANS = 500;
/** A run with more events takes a noticeable time to read. */
const LARGE_RUN = 5_000;

/** Held by who follows the log, for as long as it does. */
const followLock = (directory: string): string => path.join(directory, "otlp-follow.lock");
/** Held by who exports something. */
const exportLock = (directory: string): string => path.join(directory, "otlp.lock");

export const isFollowed = (directory: string): boolean => isLocked(followLock(directory));
export const takeFollowLock = (directory: string): FileLock | "held" | undefined => takeLock(followLock(directory));
export const takeExportLock = (directory: string): FileLock | "held" | undefined => takeLock(exportLock(directory));
