import type { Log } from "../../log/log.ts";
import { sessionIdOf, ulidIn } from "./ids.ts";

/** The conversation of a session: a known one, or the id that a new one gets. */
export type Session = { task_id: string } | { new_task_id: string };

/** The request that began last in each session of a log, until it has begun. */
const beginning = new WeakMap<Log, Map<string, Promise<unknown>>>();

/**
 * Finds the conversation of a session and begins a request in it, one request at a time. Otherwise two requests that name a
 * new session at once would each begin a conversation.
 */
export async function beginIn<Begun>(
  log: Log,
  sessionId: string,
  ulid: string,
  begin: (session: Session) => Promise<Begun>,
): Promise<Begun> {
  const sessions = beginning.get(log) ?? new Map<string, Promise<unknown>>();
  beginning.set(log, sessions);
  const before = sessions.get(sessionId) ?? Promise.resolve();
  const begun = before.then(async () => begin(await findSession(log, sessionId, ulid)));
  const settled = begun.then(
    () => {},
    () => {},
  );
  sessions.set(sessionId, settled);
  await settled;
  if (sessions.get(sessionId) === settled) sessions.delete(sessionId);
  return begun;
}

/**
 * Finds the conversation of a session. A session whose id we made is found by it. A name that a client chose is stored in the
 * log with the conversation that it stands for, so that the session goes on after a restart.
 */
export async function findSession(log: Log, sessionId: string, ulid: string): Promise<Session> {
  const new_task_id = `task_${ulid}`;
  if (sessionId === sessionIdOf(ulid)) return { new_task_id };
  const own = ulidIn(sessionId);
  if (own !== undefined && (await log.task(`task_${own}`))) return { task_id: `task_${own}` };
  const name = `acolyte-session/${sessionId}`;
  const now = Date.now();
  const row = { name, position: 0, state: new_task_id, updated_at: now };
  await log.rows.write([{ do: "insert", table: "cursors", row, ifExists: "keep" }]);
  const stored = (await log.rows.find("cursors", name))?.state ?? new_task_id;
  if (await log.task(stored)) return { task_id: stored };
  // The first request of the session failed to start, or its task was deleted.
  if (stored !== new_task_id) {
    const set = { state: new_task_id, updated_at: now };
    await log.rows.write([{ do: "update", table: "cursors", key: name, when: {}, set, ifDiffers: "keep" }]);
  }
  return { new_task_id };
}
