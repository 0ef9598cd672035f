import { type EventSelection, eventsPath } from "./event-source.ts";

const head = `curl -s -H "Authorization: Bearer $TOKEN"`;
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The command that reads what the table shows. The token is that of the reader: the page itself has none. */
export const curlOfList = (origin: string, selection: EventSelection): string =>
  `${head} ${quoted(origin + eventsPath(selection))}`;

/** The command that prints one event as it is stored. */
export const curlOfEvent = (origin: string, runId: string, sequence: number): string => {
  const path = eventsPath({ runId, types: [], granularity: "delta" }, { after_sequence: String(sequence - 1) });
  return `${head} -H 'Accept: application/x-ndjson' ${quoted(origin + path)} | head -n 1`;
};
