import type { SessionLog, SessionUsage } from "../../agents/session-log.ts";
import { readDatabaseSession } from "./read-database-session.ts";
import type { ReadResult } from "./read-result.ts";
import { type IsEnough, readSessionFile } from "./read-session-file.ts";
import type { SessionFile, SessionPart } from "./session-files.ts";

/** Reads as much of a session as a list needs: its folder and its title or first prompt. */
export async function readHead(file: SessionFile): Promise<ReadResult> {
  const hasPrompt = ({ messages }: SessionLog) => messages.some(({ role }) => role === "user");
  return readPart(file, file, {
    ofFile: (log, bytes) => bytes >= MAX_HEAD_BYTES || (log.cwd !== undefined && hasPrompt(log)),
    ofRow: ({ log }) => log.cwd !== undefined && (log.title !== undefined || hasPrompt(log)),
  });
}

/** Reads all of a session. The usage of its subagents is included. */
export async function readWhole(file: SessionFile): Promise<ReadResult> {
  const { log, ...rest } = await readPart(file, file);
  const usage = new Map<string, SessionUsage>(log.usage);
  for (const part of file.parts) {
    const { log, notes } = await readPart(part, file);
    for (const [key, used] of log.usage) usage.set(key, used);
    rest.notes.push(...notes);
  }
  return { log: { ...ownFields(log), usage }, ...rest };
}

async function readPart(
  part: SessionPart,
  { logs, problem }: SessionFile,
  enough?: { ofFile: IsEnough; ofRow: (read: ReadResult) => boolean },
): Promise<ReadResult> {
  const failed = (reason: string): ReadResult => {
    return { log: logs.createReader().log, notes: [`It could not be read: ${reason}.`], isWhole: true };
  };
  if (problem !== undefined) return failed(problem);
  if (!part.row) return readSessionFile(part, logs, enough?.ofFile);
  try {
    return readDatabaseSession(part, logs, enough?.ofRow);
  } catch (error) {
    return failed((error as Error).message);
  }
}

/** Copies the fields of a log, which may be getters of a reader that is still in use. */
function ownFields({ id, title, cwd, model, startedAt, updatedAt, forkedFrom, isSubagent, messages }: SessionLog) {
  return {
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    ...(cwd !== undefined && { cwd }),
    ...(model !== undefined && { model }),
    ...(startedAt !== undefined && { startedAt }),
    ...(updatedAt !== undefined && { updatedAt }),
    ...(forkedFrom !== undefined && { forkedFrom }),
    ...(isSubagent && { isSubagent }),
    messages,
  };
}

const MAX_HEAD_BYTES = 1024 * 1024;
