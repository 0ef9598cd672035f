import { type RunRecord, SpoorClientError } from "@spoor/protocol/client";
import type { Schedule } from "./schedule.ts";
import { TRY_AGAIN_MS } from "./until-answered.ts";

/** The rows of runs that somebody on the page shows. Everybody shares them, so that all places say the same. */
export interface Records {
  /** Undefined while it is not known. */
  read(runId: string): RunRecord | "missing" | undefined;
  /** Adds rows that were read in a list. */
  add(records: readonly RunRecord[]): void;
  /** Something happened in these runs: reads their rows again, each at most twice a second. */
  touch(runIds: Iterable<string>): void;
  /** Calls back with each row that is new or changed. The rows that `held` names stay; others may be forgotten. */
  listen(listener: (runId: string) => void, held: () => Iterable<string>): () => void;
}

interface RecordsOptions {
  get(runId: string): Promise<RunRecord>;
  /** The newest runs. */
  newest(limit: number): Promise<readonly RunRecord[]>;
  schedule: Pick<Schedule, "after" | "now">;
}

/** Rows are renewed at most this often. */
const EVERY_MS = 500;

/** When more runs than this are to be read, the newest are read in one request. */
const ONE_BY_ONE = 4;

const NEWEST = 100;

/** More rows than this are forgotten unless somebody shows them: a tab may stay open for weeks. */
const MOST = 2_000;

export function createRecords({ get, newest, schedule }: RecordsOptions): Records {
  const known = new Map<string, RunRecord | "missing">();
  const listeners = new Map<(runId: string) => void, () => Iterable<string>>();
  let forgetAt = MOST;
  const dirty = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;
  let isReading = false;
  let isPlanned = false;

  function put(runId: string, record: RunRecord | "missing"): void {
    const before = known.get(runId);
    const isNews = !isOlder(record, before) && !isSame(record, before);
    // The row that was read last comes last, also if it is the same: whoever read it is about to show it.
    known.delete(runId);
    known.set(runId, isNews ? record : (before ?? record));
    if (!isNews) return;
    for (const listener of [...listeners.keys()]) listener(runId);
    if (known.size > forgetAt) forget();
  }

  /** Forgets the rows that were read longest ago, down to three quarters of the most. */
  function forget(): void {
    const held = new Set([...listeners.values()].flatMap((holds) => [...holds()]));
    for (const runId of known.keys()) {
      if (known.size <= MOST * 0.75) break;
      if (!held.has(runId)) known.delete(runId);
    }
    // When nearly all of them are shown, it is not tried again for every further one.
    forgetAt = Math.max(MOST, known.size + MOST / 4);
  }

  const add = (records: readonly RunRecord[]) => {
    for (const record of records) put(record.run_id, record);
  };

  async function readOne(runId: string): Promise<void> {
    try {
      put(runId, await get(runId));
    } catch (error) {
      if (error instanceof SpoorClientError && error.status === 404) put(runId, "missing");
      else schedule.after(TRY_AGAIN_MS, () => touch([runId]));
    }
  }

  async function readDirty(): Promise<void> {
    isReading = true;
    readAt = schedule.now();
    const wanted = new Set(dirty);
    dirty.clear();
    if (wanted.size > ONE_BY_ONE) {
      const rows = await newest(NEWEST).catch(() => []);
      add(rows);
      for (const { run_id } of rows) wanted.delete(run_id);
    }
    const queue = [...wanted];
    const work = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await readOne(next);
    };
    await Promise.all(Array.from({ length: ONE_BY_ONE }, work));
    isReading = false;
    plan();
  }

  function plan(): void {
    if (isPlanned || isReading || dirty.size === 0) return;
    isPlanned = true;
    schedule.after(Math.max(0, readAt + EVERY_MS - schedule.now()), () => {
      isPlanned = false;
      void readDirty();
    });
  }

  function touch(runIds: Iterable<string>): void {
    for (const runId of runIds) dirty.add(runId);
    plan();
  }

  return {
    read: (runId) => known.get(runId),
    add,
    touch,
    listen(listener, held) {
      listeners.set(listener, held);
      return () => listeners.delete(listener);
    },
  };
}

/** Answers may overtake each other. */
function isOlder(record: RunRecord | "missing", before: RunRecord | "missing" | undefined): boolean {
  if (record === "missing" || before === undefined || before === "missing") return false;
  return record.last_position < before.last_position;
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (other !== undefined && JSON.stringify(one) === JSON.stringify(other));
