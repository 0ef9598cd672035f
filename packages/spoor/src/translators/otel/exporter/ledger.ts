import { randomUUID } from "node:crypto";
import type { Effect } from "../../../log/effects.ts";
import type { Log } from "../../../log/log.ts";
import type { Measure } from "../measures.ts";
import { addMeasures, newTotals, type Totals } from "../totals.ts";
import type { EndedRun } from "./ended-runs.ts";
import type { Signal } from "./settings.ts";

/**
 * What was exported of a log, in rows of its table `cursors`, so that it goes on after a restart:
 *
 * - `otlp/traces` and `otlp/metrics`: the position up to which whoever follows the log has exported the ends of runs;
 * - `otlp/totals`: the metrics so far, and the id of the log as a source of telemetry;
 * - `otlp/run/<signal>/<run>`: a run that its own process exports, because nobody follows the log, and whether that is done.
 */
export class Ledger {
  readonly #log: Log;
  /** The id of this log, the same in every process that exports it. */
  readonly instance: string;
  readonly #totals: Totals;

  static async open(log: Log): Promise<Ledger> {
    const row = await log.rows.find("cursors", TOTALS);
    if (row) {
      const { instance, totals } = JSON.parse(row.state ?? "{}") as Stored;
      return new Ledger(log, instance, totals);
    }
    const state: Stored = { instance: randomUUID(), totals: newTotals(Date.now()) };
    await log.rows.write([
      { do: "insert", table: "cursors", row: rowOf(TOTALS, log.lastPosition, state), ifExists: "keep" },
    ]);
    return Ledger.open(log);
  }

  private constructor(log: Log, instance: string, totals: Totals) {
    this.#log = log;
    this.instance = instance;
    this.#totals = totals;
  }

  get totals(): Totals {
    return this.#totals;
  }

  /** The position up to which a signal was exported, by whoever followed the log. The first time, it is the given one. */
  async cursor(signal: Signal, first: number): Promise<number> {
    const name = `otlp/${signal}`;
    await this.#log.rows.write([{ do: "insert", table: "cursors", row: rowOf(name, first), ifExists: "keep" }]);
    return (await this.#log.rows.find("cursors", name))?.position ?? first;
  }

  async moveCursor(signal: Signal, position: number): Promise<void> {
    await this.#log.rows.write([moved(`otlp/${signal}`, position)]);
  }

  /** Adds to the totals, and stores in the same commit what makes sure that it is never added again. */
  async addMeasures(measures: readonly Measure[], done: { cursor: number } | { run: EndedRun }): Promise<void> {
    addMeasures(this.#totals, measures);
    const position = "cursor" in done ? done.cursor : done.run.position;
    const state: Stored = { instance: this.instance, totals: this.#totals };
    await this.#log.rows.write([
      moved(TOTALS, position, state),
      ...("cursor" in done ? [moved("otlp/metrics", position)] : marked("metrics", done.run, true)),
    ]);
  }

  /** The marked runs of a signal, in the order in which they ended. */
  async marks(signal: Signal): Promise<MarkedRun[]> {
    const found: MarkedRun[] = [];
    const beginning = markOf(signal);
    for (let after = beginning; ; ) {
      const { rows, more } = await this.#log.rows.list("cursors", { order: "name", after, limit: 500 });
      const ours = rows.filter(({ name }) => name.startsWith(beginning));
      for (const { name, position, state, updated_at: at } of ours)
        found.push({ run_id: name.slice(beginning.length), position, isDone: state === DONE, at });
      const last = ours.at(-1)?.name;
      if (!more || last === undefined || ours.length < rows.length)
        return found.sort((a, b) => a.position - b.position);
      after = last;
    }
  }

  async mark(signal: Signal, runs: readonly EndedRun[], isDone: boolean): Promise<void> {
    await this.#log.rows.write(runs.flatMap((run) => marked(signal, run, isDone)));
  }

  /** Removes marks that nobody needs any more: those that are done and older than this (epoch milliseconds). */
  async forgetDone(signal: Signal, before: number): Promise<void> {
    const old = (await this.marks(signal)).filter(({ isDone, at }) => isDone && at < before);
    await this.#log.rows.write(
      old.map(({ run_id }): Effect => ({ do: "delete", table: "cursors", key: markOf(signal, run_id) })),
    );
  }
}

/** A run that its own process exports or has exported. */
export interface MarkedRun extends EndedRun {
  readonly isDone: boolean;
  /** When it was marked, in epoch milliseconds. */
  readonly at: number;
}

interface Stored {
  instance: string;
  totals: Totals;
}

const TOTALS = "otlp/totals";
const DONE = "done";
const markOf = (signal: Signal, run_id = ""): string => `otlp/run/${signal}/${run_id}`;

const rowOf = (name: string, position: number, state?: object) => ({
  ...{ name, position, updated_at: Date.now() },
  ...(state && { state: JSON.stringify(state) }),
});

const moved = (name: string, position: number, state?: object): Effect => ({
  do: "update",
  table: "cursors",
  key: name,
  when: {},
  set: { position, updated_at: Date.now(), ...(state && { state: JSON.stringify(state) }) },
});

function marked(signal: Signal, { run_id, position }: EndedRun, isDone: boolean): Effect[] {
  const key = markOf(signal, run_id);
  const state = isDone ? DONE : null;
  const row = { name: key, position, state, updated_at: Date.now() };
  // A run that is done stays done.
  if (!isDone) return [{ do: "insert", table: "cursors", row, ifExists: "keep" }];
  return [
    { do: "insert", table: "cursors", row, ifExists: "keep" },
    { do: "update", table: "cursors", key, when: {}, set: { state, updated_at: row.updated_at } },
  ];
}
