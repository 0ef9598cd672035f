import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createAlarm } from "./alarm.ts";
import { isWanted, type SessionFilters } from "./filters.ts";
import { type SessionSummary, summaryOf } from "./session.ts";
import type { SessionFile } from "./session-files.ts";
import type { Known, SessionStore } from "./store.ts";

export interface WatchOptions extends Pick<SessionFilters, "cwd" | "model"> {
  agent?: string;
  signal?: AbortSignal;
  /** How often to look, in milliseconds, where the system does not tell of changes. */
  intervalMs?: number;
}

export interface SessionChange {
  kind: "added" | "changed" | "removed";
  /** Of one that is gone and was never read, only what its name tells. */
  session: SessionSummary;
}

/** Sessions as they come, grow and go, from now on. However many there are, looking takes a small part of the time. */
export async function* watchSessions(
  store: SessionStore,
  folders: readonly string[],
  { agent, signal, intervalMs = 2000, ...filters }: WatchOptions,
): AsyncGenerator<SessionChange> {
  const alarm = createAlarm(signal);
  let before: ReadonlyMap<string, Seen> = new Map();
  try {
    for (let isFirst = true; !signal?.aborted; isFirst = false) {
      const start = performance.now();
      const now = await look(store, agent, isFirst ? undefined : before);
      alarm.watch([...folders, ...foldersOf(now)]);
      if (!isFirst) for (const change of changes(before, now)) if (isWanted(change.session, filters)) yield change;
      before = now;
      const tookMs = performance.now() - start;
      await alarm.next(Math.max(intervalMs, 10 * tookMs));
      // What changes once mostly goes on changing.
      await wait(Math.min(tookMs, intervalMs), undefined, signal && { signal }).catch(() => {});
    }
  } finally {
    alarm.close();
  }
}

interface Seen {
  file: SessionFile;
  /** Absent for what was there at first and has not changed since. */
  known?: Known;
}

/** By key. What has not changed is not read again, and what is there at first not at all. */
async function look(store: SessionStore, agent: string | undefined, before: ReadonlyMap<string, Seen> | undefined) {
  const seen = new Map<string, Seen>();
  for (const file of await store.files(agent)) {
    const old = before?.get(file.key);
    if (old?.file.version === file.version) seen.set(file.key, old);
    else seen.set(file.key, before ? { file, known: await store.head(file) } : { file });
  }
  return seen;
}

function changes(before: ReadonlyMap<string, Seen>, now: ReadonlyMap<string, Seen>): SessionChange[] {
  const changed = [...now].flatMap(([key, seen]): SessionChange[] => {
    const old = before.get(key);
    if (old === seen || !seen.known || seen.known.isHidden) return [];
    return [{ kind: old && !old.known?.isHidden ? "changed" : "added", session: seen.known.summary }];
  });
  const removed = [...before].flatMap(([key, { file, known }]): SessionChange[] => {
    if (known?.isHidden || now.has(key)) return [];
    return [{ kind: "removed", session: known?.summary ?? summaryOf(file, { messages: [], usage: new Map() }, []) }];
  });
  return [...removed, ...changed];
}

const foldersOf = (seen: ReadonlyMap<string, Seen>): Set<string> =>
  new Set([...seen.values()].map(({ file }) => path.dirname(file.path)));
