import type { CostRecord } from "@spoor/protocol";
import type { SessionUsage } from "../../agents/session-log.ts";
import { mapConcurrent } from "./map-concurrent.ts";
import { readWhole } from "./read-session.ts";
import { checkFilters, matchesFilters, type SessionFilters } from "./session-filters.ts";
import type { SessionStore } from "./session-store.ts";
import { loadPrice, type Price, sumUsage } from "./usage-cost.ts";

/** Which sessions are added up, and by what they are grouped. */
export interface CostFilters extends Omit<SessionFilters, "limit"> {
  agent?: string;
  groupBy?: CostGroup;
}

/** Days are UTC days. */
export type CostGroup = "agent" | "model" | "day" | "cwd";

/** What a set of sessions cost. */
export interface TotalCost {
  cost: CostRecord;
  /** How many session files contain at least one call. */
  sessions: number;
  /** Tokens of models without a known price. `cost` does not include them. */
  unpricedTokens: number;
  /** The most expensive group first; groups by day are in order of time. */
  groups?: { key: string; cost: CostRecord }[];
  notes?: string[];
}

/**
 * Adds up what model calls cost. A call is counted once even when several sessions contain it, because a forked session
 * contains the calls of the original. List prices are used where the agent reports no cost. The filters `since` and `until`
 * compare with the times of the calls.
 */
export async function totalCost(store: SessionStore, filters: CostFilters): Promise<TotalCost> {
  checkFilters(filters);
  const { since, until, model, cwd, groupBy } = filters;
  const { calls, sessions, notes } = await callsOf(store, filters.agent, { since, cwd });
  const price = await loadPrice();
  const wanted = [...calls.values()].filter(({ usage }) => {
    const time = usage.timestamp ?? 0;
    const isInTime = (since === undefined || time >= since) && (until === undefined || time <= until);
    return isInTime && (model === undefined || usage.model === model);
  });
  return {
    cost: sumUsage(usagesOf(wanted), price),
    sessions,
    unpricedTokens: unpriced(wanted, price),
    ...(groupBy !== undefined && { groups: groupsOf(wanted, groupBy, price) }),
    ...(notes.length > 0 && { notes }),
  };
}

interface Call {
  usage: SessionUsage;
  agent: string;
  cwd: string;
}

async function callsOf(
  store: SessionStore,
  agent: string | undefined,
  { since, cwd }: { since: number | undefined; cwd: string | undefined },
) {
  const calls = new Map<string, Call>();
  const notes: string[] = [];
  let sessions = 0;
  const changed = (await store.files(agent)).filter(({ updatedAt, parts }) =>
    [updatedAt, ...parts.map((part) => part.updatedAt)].some((time) => since === undefined || time >= since),
  );
  // Oldest first, so that the newest record of a call wins.
  const reading = mapConcurrent(changed.reverse(), async (file) => ({ file, ...(await readWhole(file)) }));
  for await (const { file, log, notes: found } of reading) {
    notes.push(...found.map((note) => `${file.path}: ${note}`));
    if (cwd !== undefined && !matchesFilters(log, { cwd })) continue;
    if (log.usage.size > 0) sessions += 1;
    for (const [key, usage] of log.usage) {
      const unique = `${file.agent} ${key}`;
      const first = calls.get(unique);
      const times = [first?.usage.timestamp, usage.timestamp].filter((time) => time !== undefined);
      calls.set(unique, {
        usage: { ...usage, ...(times.length > 0 && { timestamp: Math.min(...times) }) },
        agent: file.agent,
        cwd: first?.cwd ?? log.cwd ?? "",
      });
    }
  }
  return { calls, sessions, notes };
}

function groupsOf(calls: readonly Call[], by: CostGroup, price: Price): { key: string; cost: CostRecord }[] {
  const groups = [...Map.groupBy(calls, keys[by])].map(([key, group]) => ({
    key,
    cost: sumUsage(usagesOf(group), price),
  }));
  return groups.sort((one, other) =>
    by === "day" ? one.key.localeCompare(other.key) : other.cost.totalUsd - one.cost.totalUsd,
  );
}

const keys: Readonly<Record<CostGroup, (call: Call) => string>> = {
  agent: ({ agent }) => agent,
  model: ({ usage }) => usage.model ?? "",
  day: ({ usage }) => (usage.timestamp === undefined ? "" : new Date(usage.timestamp).toISOString().slice(0, 10)),
  cwd: ({ cwd }) => cwd,
};

const usagesOf = (calls: readonly Call[]): SessionUsage[] => calls.map(({ usage }) => usage);

const unpriced = (calls: readonly Call[], price: Price): number =>
  usagesOf(calls)
    .filter((usage) => price(usage) === undefined)
    .reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
