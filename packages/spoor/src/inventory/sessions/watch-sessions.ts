import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createFolderWatcher } from "./folder-watcher.ts";
import type { SessionFile } from "./session-files.ts";
import { matchesFilters, type SessionFilters } from "./session-filters.ts";
import type { KnownSession, SessionStore } from "./session-store.ts";
import { type SessionSummary, summaryOf } from "./session-summary.ts";

/** Which sessions to watch, and until when. */
export interface SessionWatchOptions extends Pick<SessionFilters, "cwd" | "model"> {
  agent?: string;
  signal?: AbortSignal;
  /** How often to look for changes, in milliseconds, where the system does not report them. */
  intervalMs?: number;
}

/** A session that was added, changed or removed. */
export interface SessionChange {
  kind: "added" | "changed" | "removed";
  /** Of a removed session that was never read, only the facts in its file name are known. */
  session: SessionSummary;
}

/**
 * Yields sessions that are added, changed or removed from now on. The time between two looks is at least ten times as long
 * as one look takes, so that many sessions do not keep a core busy.
 */
export async function* watchSessions(
  store: SessionStore,
  folders: readonly string[],
  { agent, signal, intervalMs = 2000, ...filters }: SessionWatchOptions,
): AsyncGenerator<SessionChange> {
  const watcher = createFolderWatcher(signal);
  let before: ReadonlyMap<string, SeenSession> = new Map();
  try {
    for (let isFirst = true; !signal?.aborted; isFirst = false) {
      const start = performance.now();
      const now = await listCurrent(store, agent, isFirst ? undefined : before);
      watcher.watch([...folders, ...foldersOf(now)]);
      if (!isFirst)
        for (const change of changes(before, now)) if (matchesFilters(change.session, filters)) yield change;
      before = now;
      const tookMs = performance.now() - start;
      await watcher.next(Math.max(intervalMs, 10 * tookMs));
      // A file that changed once usually changes again soon, so several changes are gathered into one look.
      await wait(Math.min(tookMs, intervalMs), undefined, signal && { signal }).catch(() => {});
    }
  } finally {
    watcher.close();
  }
}

interface SeenSession {
  file: SessionFile;
  /** Absent while the session is unchanged since the first look. */
  known?: KnownSession;
}

/** The current sessions by key. Unchanged sessions are not read again, and those found at the first look are not read at all. */
async function listCurrent(
  store: SessionStore,
  agent: string | undefined,
  before: ReadonlyMap<string, SeenSession> | undefined,
) {
  const seen = new Map<string, SeenSession>();
  for (const file of await store.files(agent)) {
    const old = before?.get(file.key);
    if (old?.file.version === file.version) seen.set(file.key, old);
    else seen.set(file.key, before ? { file, known: await store.head(file) } : { file });
  }
  return seen;
}

function changes(before: ReadonlyMap<string, SeenSession>, now: ReadonlyMap<string, SeenSession>): SessionChange[] {
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

const foldersOf = (seen: ReadonlyMap<string, SeenSession>): Set<string> =>
  new Set([...seen.values()].map(({ file }) => path.dirname(file.path)));
