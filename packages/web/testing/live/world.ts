import type { Envelope } from "@spoor/protocol";
import type { HubReader, HubSelection, RunList, RunRecord, RunsQuery } from "@spoor/protocol/client";
import { SpoorClientError } from "@spoor/protocol/client";
import { createAllEvents } from "../../src/live/all-events.ts";
import { createRecords } from "../../src/live/records.ts";
import { createRunStores } from "../../src/live/run-stores.ts";
import { createRunsStore } from "../../src/live/runs-store.ts";
import type { Schedule } from "../../src/live/schedule.ts";

/** A server of the test: its runs, and the subscriptions of the page. */
export function world() {
  const stageOfTest = stage();
  const { schedule } = stageOfTest;
  const server = new Map<string, RunRecord>();
  const requests: string[] = [];
  const subscriptions: { selection: HubSelection; reader: HubReader; cursor: number; isOpen: boolean }[] = [];
  const hub = {
    follow(selection: HubSelection, reader: HubReader) {
      const entry = { selection, reader, cursor: selection.after ?? -1, isOpen: true };
      subscriptions.push(entry);
      return {
        get cursor() {
          return entry.cursor;
        },
        close: () => {
          entry.isOpen = false;
        },
      };
    },
  };
  const list = async (query: RunsQuery): Promise<RunList> => {
    requests.push(`list ${JSON.stringify(query)}`);
    const limit = query.limit ?? 200;
    const rows = [...server.values()]
      .filter(({ state }) => query.state === undefined || state === query.state)
      .sort((a, b) => b.run_id.localeCompare(a.run_id))
      .filter(({ run_id }) => query.before === undefined || run_id < query.before);
    const data = rows.slice(0, limit);
    const has_more = rows.length > limit;
    return { object: "list", data, has_more, next_before: has_more ? (data.at(-1)?.run_id ?? null) : null };
  };
  const records = createRecords({
    async get(runId) {
      requests.push(`get ${runId}`);
      const record = server.get(runId);
      if (!record)
        throw new SpoorClientError("run_not_found", "There is no such run.", { retryable: false, status: 404 });
      return record;
    },
    newest: async (limit) => (await list({ limit })).data,
    schedule,
  });
  const { listen } = createAllEvents(hub);
  return {
    ...stageOfTest,
    requests,
    subscriptions,
    ofRun: (runId: string) =>
      subscriptions.filter(({ selection }) => "runId" in selection && selection.runId === runId),
    put(run_id: string, fields: Partial<RunRecord> = {}) {
      const before = server.get(run_id) ?? rowOf(run_id);
      server.set(run_id, { ...before, last_position: before.last_position + 1, ...fields });
    },
    happen(...envelopes: Envelope[]) {
      for (const { selection, reader } of subscriptions) if ("all" in selection) reader.events(envelopes);
    },
    begin: () => subscriptions.find(({ selection }) => "all" in selection)?.reader.resumed?.("ok"),
    stores: createRunStores({ hub, listen, records, schedule }),
    runs: (query: RunsQuery = {}) => createRunsStore(query, { list, listen, records, schedule }),
  };
}

/** Time, frames and tasks that the test moves. */
function stage() {
  let time = 0;
  let frames: (() => void)[] = [];
  let tasks: (() => void)[] = [];
  let timers: { at: number; callback: () => void }[] = [];
  const schedule: Schedule = {
    frame: (callback) => frames.push(callback),
    soon: (callback) => tasks.push(callback),
    after(ms, callback) {
      const timer = { at: time + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    now: () => time,
  };
  const settle = async () => {
    for (let round = 0; round < 20; round++) await Promise.resolve();
  };
  const work = async () => {
    for (let all = tasks; all.length > 0; all = tasks) {
      tasks = [];
      for (const task of all) task();
      await settle();
    }
  };
  return {
    schedule,
    async frame() {
      await work();
      const all = frames;
      frames = [];
      for (const callback of all) callback();
      await settle();
      return all.length;
    },
    async pass(ms: number) {
      const end = time + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((one) => one !== next);
        time = Math.max(time, next.at);
        next.callback();
        await settle();
      }
      time = end;
      await settle();
    },
  };
}

const rowOf = (run_id: string): RunRecord => ({
  run_id,
  task_id: "task_1",
  agent: "claude",
  kind: "agent",
  status: "running",
  state: "working",
  created_at: `2026-11-02T09:00:${run_id.slice(-2)}Z`,
  updated_at: "2026-11-02T09:00:00Z",
  first_sequence: 0,
  last_sequence: 5,
  last_position: 5,
  head: "",
  bytes: 1,
});

export const event = (
  run_id: string,
  sequence: number,
  type = "external.event",
  data: Envelope["data"] = {},
): Envelope => ({
  schema_version: "1",
  event_id: `evt_${sequence}`,
  run_id,
  sequence,
  occurred_at: "2026-11-02T09:00:00Z",
  type,
  data,
});
