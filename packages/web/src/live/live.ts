import { createAllEvents } from "./all-events.ts";
import { client } from "./client.ts";
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
  createRunsStore(query, { list: (wanted) => client.runs.list(wanted), listen, records, schedule });
