import type { Adapter } from "../../agents/machine.ts";
import type { LookupContext } from "../locate.ts";
import { withDatabasesOpen } from "./agent-database.ts";
import { createDatabaseSessionFinder } from "./database-sessions.ts";
import { readHead, readWhole } from "./read-session.ts";
import { findSessionFiles, type SessionFile } from "./session-files.ts";

/**
 * Counts the model calls of a session in the agent's own session files. Returns `undefined` when the agent has no readable
 * sessions or no session with this id.
 */
export async function priorTurnsIn(
  adapter: Adapter,
  sessionId: string,
  context: LookupContext,
): Promise<number | undefined> {
  try {
    return await withDatabasesOpen(async () => {
      // Files are sorted newest first.
      for (const file of await findSessionFiles(adapter, context, createDatabaseSessionFinder())) {
        if (!(await isFileOf(sessionId, file))) continue;
        const { log } = await readWhole(file);
        return log.messages.filter(({ role }) => role === "assistant").length;
      }
      return undefined;
    });
  } catch {
    // The run does not need these files, so a problem with them must not fail it.
    return undefined;
  }
}

/** Not every file name contains the whole id; some contain a part of it. */
async function isFileOf(sessionId: string, file: SessionFile): Promise<boolean> {
  if (file.id !== undefined) return file.id === sessionId;
  if (file.idStart !== undefined && !sessionId.startsWith(file.idStart)) return false;
  return (await readHead(file)).log.id === sessionId;
}
