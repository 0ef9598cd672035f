import type { Adapter } from "../../agents/machine.ts";
import { ValidationError } from "../../failures/errors.ts";
import { locate, type Surroundings } from "../locate.ts";
import { loadPrice, sumOf } from "./cost.ts";
import { holding } from "./database.ts";
import { type ExportFormat, exportFormats, exportSession } from "./export.ts";
import type { SessionFilters } from "./filters.ts";
import { findSession } from "./find.ts";
import { ahead } from "./map-concurrent.ts";
import { readWhole } from "./read.ts";
import { matchesIn, type SessionMatch } from "./search.ts";
import { type Session, type SessionSummary, summaryOf } from "./session.ts";
import { SessionStore } from "./store.ts";
import { type CostFilters, type TotalCost, totalCost } from "./total.ts";
import { type SessionChange, type WatchOptions, watchSessions } from "./watch.ts";

/** What the agents wrote down of their sessions, in their own files. Nothing is ever written there. */
export interface Sessions {
  /** Of one agent or of all, the newest first. Reads no more than the beginning of each. */
  list(agent?: string, filters?: SessionFilters): Promise<SessionSummary[]>;
  /** By `<agent>:<id>`, by the agent's own id, or by the end of it. */
  get(id: string): Promise<Session>;
  /** What is told of it in lists; throws as `get` does. */
  find(id: string): Promise<SessionSummary>;
  /** Where this was said. At most as many sessions as the limit says. */
  search(text: string, filters?: SessionFilters & { agent?: string }): Promise<SessionMatch[]>;
  totalCost(filters?: CostFilters): Promise<TotalCost>;
  export(id: string, format: ExportFormat): Promise<string>;
  /** Tells of sessions that come, grow and go, until the signal or the reader has enough. */
  watch(options?: WatchOptions): AsyncIterable<SessionChange>;
}

export function createSessions({ adapters, ...around }: { adapters: Iterable<Adapter> } & Surroundings): Sessions {
  const store = new SessionStore(adapters, around);
  const get = async (id: string): Promise<Session> => {
    const file = await findSession(store, id);
    const { log, notes } = await holding(() => readWhole(file));
    return {
      ...summaryOf(file, log, notes),
      turnCount: log.messages.filter(({ role }) => role === "assistant").length,
      cost: sumOf(log.usage.values(), await loadPrice()),
      messages: [...log.messages],
    };
  };

  return {
    get,
    async list(agent, filters = {}) {
      return (await holding(() => store.list(agent, filters))).map(({ summary }) => summary);
    },
    async find(id) {
      return (await store.head(await findSession(store, id))).summary;
    },
    async search(text, { agent, limit = Number.POSITIVE_INFINITY, ...filters } = {}) {
      if (text === "") throw new ValidationError([{ field: "text", message: "Say what to look for." }]);
      return holding(async () => {
        const found: SessionMatch[] = [];
        const looking = ahead(await store.list(agent, filters), async ({ file, summary }) => ({
          session: summary,
          matches: await matchesIn(file, text),
        }));
        for await (const match of looking) {
          if (match.matches.length > 0) found.push(match);
          if (found.length >= limit) break;
        }
        return found;
      });
    },
    totalCost: (filters = {}) => holding(() => totalCost(store, filters)),
    async export(id, format) {
      if (!exportFormats.includes(format)) {
        throw new ValidationError([{ field: "format", message: `format is one of ${exportFormats.join(", ")}.` }]);
      }
      return exportSession(await get(id), format);
    },
    watch(options = {}) {
      const { agent } = options;
      const asked = [...adapters].filter(({ name }) => agent === undefined || name === agent);
      const folders = asked.flatMap(({ about }) => (about?.sessions ? [locate(about.sessions, around)] : []));
      return watchSessions(store, folders, options);
    },
  };
}
