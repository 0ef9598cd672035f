import type { RunList, RunsQuery } from "@spoor/protocol/client";
import { createAllEvents } from "./all-events.ts";
import { client } from "./client.ts";
import { home } from "./home.ts";
import { hub } from "./hub.ts";
import { createRecords } from "./records.ts";
import { createRunStores } from "./run-stores.ts";
import { createRunsStore } from "./runs-store.ts";
import { pageSchedule } from "./schedule.ts";

/** The stores of this tab, joined to its connection. */
const schedule = pageSchedule();

export const allEvents = createAllEvents(hub);

export const records = createRecords({
  get: (runId) => client.runs.get(runId),
  newest: async (limit) => (await client.runs.list({ limit })).data,
  schedule,
});

const { listen } = allEvents;

export const runStores = createRunStores({ hub, listen, records, schedule });

export const runsStore = (query: Parameters<typeof createRunsStore>[0]) =>
  createRunsStore(query, { list, listen, records, schedule });

async function list(query: RunsQuery): Promise<RunList> {
  const answer = await client.runs.list(query);
  home.set(answer.home ?? home.read());
  return answer;
}
