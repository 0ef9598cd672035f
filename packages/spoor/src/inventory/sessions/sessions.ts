import type { Adapter } from "../../agents/machine.ts";
import { ValidationError } from "../../failures/errors.ts";
import { type LookupContext, locate } from "../locate.ts";
import { withDatabasesOpen } from "./agent-database.ts";
import { type ExportFormat, exportFormats, exportSession } from "./export-session.ts";
import { findSession } from "./find-session.ts";
import { mapConcurrent } from "./map-concurrent.ts";
import { readWhole } from "./read-session.ts";
import { matchesIn, type SessionMatch } from "./search-session.ts";
import type { SessionFilters } from "./session-filters.ts";
import { SessionStore } from "./session-store.ts";
import { type Session, type SessionSummary, summaryOf } from "./session-summary.ts";
import { type CostFilters, type TotalCost, totalCost } from "./total-cost.ts";
import { loadPrice, sumUsage } from "./usage-cost.ts";
import { type SessionChange, type SessionWatchOptions, watchSessions } from "./watch-sessions.ts";

/** Reads the sessions that agents store in their own files. Nothing is ever written there. */
export interface Sessions {
  /** Lists the sessions of one agent or of all agents, the newest first. Reads only the beginning of each. */
  list(agent?: string, filters?: SessionFilters): Promise<SessionSummary[]>;
  /** Finds a session by `<agent>:<id>`, by the agent's own id, or by the beginning or end of the id. */
  get(id: string): Promise<Session>;
  /** Like `get`, but returns only the summary. */
  find(id: string): Promise<SessionSummary>;
  /** Finds the messages that contain a text. `limit` counts sessions. */
  search(text: string, filters?: SessionFilters & { agent?: string }): Promise<SessionMatch[]>;
  /** Adds up what the sessions cost. */
  totalCost(filters?: CostFilters): Promise<TotalCost>;
  /** Returns a session as text in the given format. */
  export(id: string, format: ExportFormat): Promise<string>;
  /** Yields changes of sessions until the signal is aborted or the reader leaves the loop. */
  watch(options?: SessionWatchOptions): AsyncIterable<SessionChange>;
}

/**
 * Reads the session files that the agents wrote themselves. Never writes to them.
 *
 * @example
 * const sessions = createSessions({ adapters });
 * for (const { id, title } of await sessions.list("claude", { limit: 10 })) console.log(id, title);
 * console.log((await sessions.totalCost()).cost.totalUsd);
 */
export function createSessions({ adapters, ...context }: { adapters: Iterable<Adapter> } & LookupContext): Sessions {
  const store = new SessionStore(adapters, context);
  const get = async (id: string): Promise<Session> => {
    const file = await findSession(store, id);
    const { log, notes } = await withDatabasesOpen(() => readWhole(file));
    return {
      ...summaryOf(file, log, notes),
      turnCount: log.messages.filter(({ role }) => role === "assistant").length,
      cost: sumUsage(log.usage.values(), await loadPrice()),
      messages: [...log.messages],
    };
  };

  return {
    get,
    async list(agent, filters = {}) {
      return (await withDatabasesOpen(() => store.list(agent, filters))).map(({ summary }) => summary);
    },
    async find(id) {
      return (await store.head(await findSession(store, id))).summary;
    },
    async search(text, { agent, limit = Number.POSITIVE_INFINITY, ...filters } = {}) {
      if (text === "")
        throw new ValidationError([
          { field: "text", message: "The search text is empty. Give the text to search for." },
        ]);
      return withDatabasesOpen(async () => {
        const found: SessionMatch[] = [];
        const searching = mapConcurrent(await store.list(agent, filters), async ({ file, summary }) => ({
          session: summary,
          matches: await matchesIn(file, text),
        }));
        for await (const match of searching) {
          if (match.matches.length > 0) found.push(match);
          if (found.length >= limit) break;
        }
        return found;
      });
    },
    totalCost: (filters = {}) => withDatabasesOpen(() => totalCost(store, filters)),
    async export(id, format) {
      if (!exportFormats.includes(format)) {
        throw new ValidationError([
          { field: "format", message: `"${format}" is not an export format. Use one of ${exportFormats.join(", ")}.` },
        ]);
      }
      return exportSession(await get(id), format);
    },
    watch(options = {}) {
      const { agent } = options;
      const asked = [...adapters].filter(({ name }) => agent === undefined || name === agent);
      const folders = asked.flatMap(({ about }) => (about?.sessions ? [locate(about.sessions, context)] : []));
      return watchSessions(store, folders, options);
    },
  };
}
