import type { RunList, RunRecord, RunsQuery } from "@spoor/protocol/client";
import { messageOf } from "../ui/message-of.ts";
import { createCell, type Store } from "../ui/store.ts";
import type { AllListener } from "./all-events.ts";
import { byAge, matches } from "./matches.ts";
import type { Records } from "./records.ts";
import type { Schedule } from "./schedule.ts";
import { TRY_AGAIN_MS } from "./until-answered.ts";

export interface RunsSnapshot {
  readonly state: "loading" | "ready" | "failed";
  /** Newest first. */
  readonly runs: readonly RunRecord[];
  readonly hasMore: boolean;
  /** Reads the next older page. */
  readonly loadMore: () => void;
  /** Why the server did not answer. */
  readonly problem?: string;
}

interface RunsStoreOptions {
  list(query: RunsQuery): Promise<RunList>;
  listen(listener: AllListener): () => void;
  records: Records;
  schedule: Pick<Schedule, "after" | "frame">;
}

export const PAGE = 60;

/** A list that only the server can narrow is read again at most this often while runs change. */
const READ_AGAIN_MS = 1_000;

/** Whether a process lives is not an event, so runs that go on are looked at again from time to time. */
const LOOK_AGAIN_MS = 30_000;

/**
 * The runs that a query finds, page by page, and moved by the events of all runs: rows change, new ones appear, and those
 * that no longer match disappear.
 */
export function createRunsStore(
  query: RunsQuery,
  { list, listen, records, schedule }: RunsStoreOptions,
): Store<RunsSnapshot> {
  const limit = query.limit ?? PAGE;
  const ids = new Set<string>();
  let hasMore = false;
  let nextBefore: string | undefined;
  let pages = 0;
  let isReading = false;
  let problem: string | undefined;
  let isOpen = false;
  let hasFrame = false;
  let cancelReadAgain: (() => void) | undefined;
  const cell = createCell<RunsSnapshot>({ state: "loading", runs: [], hasMore: false, loadMore }, open);

  function show(): void {
    if (hasFrame) return;
    hasFrame = true;
    schedule.frame(() => {
      hasFrame = false;
      const rows = [...ids].map((id) => records.read(id)).filter((row) => row !== undefined && row !== "missing");
      const state = pages > 0 ? "ready" : problem === undefined ? "loading" : "failed";
      const shown = { state, runs: rows.sort(byAge), hasMore, loadMore } as const;
      cell.set(problem === undefined ? shown : { ...shown, problem });
    });
  }

  async function readPage(before: string | undefined): Promise<void> {
    try {
      const known = new Set(ids);
      const answer = await list({ ...query, limit, ...(before !== undefined && { before }) });
      take(answer, before === undefined ? known : undefined);
      problem = undefined;
    } catch (error) {
      problem = messageOf(error);
      readAgain(TRY_AGAIN_MS);
    }
    show();
  }

  /** `known`: for the first page, the rows when it was requested. */
  function take({ data, has_more, next_before }: RunList, known: ReadonlySet<string> | undefined): void {
    records.add(data);
    const isFirst = known !== undefined;
    const oldest = data.at(-1);
    // Rows of the first page's time that it does not contain are gone, or match no longer.
    for (const id of known ?? []) {
      const row = records.read(id);
      if (row === undefined || row === "missing" || !oldest || !has_more || byAge(row, oldest) <= 0) ids.delete(id);
    }
    for (const { run_id } of data) ids.add(run_id);
    if (!isFirst || pages <= 1) {
      hasMore = has_more;
      nextBefore = next_before ?? oldest?.run_id;
    }
    pages = isFirst ? Math.max(1, pages) : pages + 1;
  }

  function loadMore(): void {
    if (isReading || !hasMore || nextBefore === undefined) return;
    isReading = true;
    void readPage(nextBefore).finally(() => {
      isReading = false;
    });
  }

  function onRecord(runId: string): void {
    const record = records.read(runId);
    if (record === undefined) return;
    const isMatch = record === "missing" ? false : matches(query, record);
    if (record === "missing" || isMatch === false) ids.delete(runId);
    else if (isMatch === undefined) ids.has(runId) || readAgain();
    else if (isInRange(record)) ids.add(runId);
    show();
  }

  /** Older runs come with the next page. */
  function isInRange(record: RunRecord): boolean {
    const last = nextBefore === undefined ? undefined : records.read(nextBefore);
    return !hasMore || last === undefined || last === "missing" || byAge(record, last) <= 0;
  }

  function readAgain(afterMs = READ_AGAIN_MS): void {
    if (!isOpen) return;
    cancelReadAgain ??= schedule.after(afterMs, () => {
      cancelReadAgain = undefined;
      void readPage(undefined);
    });
  }

  function open(): () => void {
    isOpen = true;
    let cancelLook = () => {};
    const lookAgain = () => {
      cancelLook = schedule.after(LOOK_AGAIN_MS, lookAgain);
      records.touch([...ids].filter((id) => goesOn(records.read(id))));
    };
    cancelLook = schedule.after(LOOK_AGAIN_MS, lookAgain);
    const stopRecords = records.listen(onRecord, () => ids);
    let isReadAfterwards = true;
    const stopEvents = listen({
      events: (envelopes) => records.touch(new Set(envelopes.map(({ run_id }) => run_id))),
      // What was read before listening began may lack what happened in between.
      begun: () => isReadAfterwards || void readPage(undefined),
    });
    isReadAfterwards = false;
    void readPage(undefined);
    return () => {
      isOpen = false;
      cancelLook();
      cancelReadAgain?.();
      cancelReadAgain = undefined;
      stopRecords();
      stopEvents();
    };
  }

  return cell;
}

const goesOn = (record: RunRecord | "missing" | undefined): boolean =>
  record !== undefined && record !== "missing" && record.ended_at === undefined;
