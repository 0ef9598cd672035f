import { constants, open } from "node:fs/promises";
import { parseObject } from "../../agents/kit/json-values.ts";
import type { SessionLog, SessionLogs, SessionUsage } from "../../agents/session-log.ts";
import { createLineCutter } from "../../process/line-cutter.ts";
import { readRows } from "./rows.ts";
import type { SessionFile, SessionPart } from "./session-files.ts";

export interface Read {
  log: SessionLog;
  notes: string[];
  /** Whether the file was read to its end. */
  isWhole: boolean;
}

/** As much of a session as a list needs. */
export async function readHead(file: SessionFile): Promise<Read> {
  const isAsked = ({ messages }: SessionLog) => messages.some(({ role }) => role === "user");
  return readAny(file, file, {
    ofFile: (log, bytes) => bytes >= MAX_HEAD_BYTES || (log.cwd !== undefined && isAsked(log)),
    ofRow: ({ log }) => log.cwd !== undefined && (log.title !== undefined || isAsked(log)),
  });
}

/** All of a session, with what its subagents used. */
export async function readWhole(file: SessionFile): Promise<Read> {
  const { log, ...rest } = await readAny(file, file);
  const usage = new Map<string, SessionUsage>(log.usage);
  for (const part of file.parts) {
    const { log, notes } = await readAny(part, file);
    for (const [key, used] of log.usage) usage.set(key, used);
    rest.notes.push(...notes);
  }
  return { log: { ...plain(log), usage }, ...rest };
}

type IsEnough = (log: SessionLog, bytes: number) => boolean;

async function readAny(
  part: SessionPart,
  { logs, problem }: SessionFile,
  enough?: { ofFile: IsEnough; ofRow: (read: Read) => boolean },
): Promise<Read> {
  const failed = (reason: string): Read => {
    return { log: logs.createReader().log, notes: [`It could not be read: ${reason}.`], isWhole: true };
  };
  if (problem !== undefined) return failed(problem);
  if (!part.row) return read(part, logs, enough?.ofFile);
  try {
    return readRows(part, logs, enough?.ofRow);
  } catch (error) {
    return failed((error as Error).message);
  }
}

type Bytes = Pick<SessionFile, "path" | "sizeBytes">;

async function read({ path, sizeBytes }: Bytes, logs: SessionLogs, isEnough?: IsEnough): Promise<Read> {
  const firstBytes = isEnough ? FIRST_BYTES : Math.min(MOST_BYTES, Math.max(FIRST_BYTES, sizeBytes + 1));
  const reader = logs.createReader();
  const cutter = createLineCutter();
  let [unreadable, tooLong, bytes] = [0, 0, 0];
  let isCutOff = false;
  const take = ({ text, continues = false }: { text: string; continues?: boolean }): void => {
    const isPiece = continues || isCutOff;
    if (continues && !isCutOff) tooLong += 1;
    isCutOff = continues;
    if (isPiece || text.trim() === "") return;
    const record = parseObject(text);
    try {
      if (record) reader.record(record);
      else unreadable += 1;
    } catch {
      unreadable += 1;
    }
  };
  const done = (notes: string[], isWhole: boolean): Read => ({ log: reader.log, notes, isWhole });
  const notes = (): string[] => [
    ...(unreadable > 0 ? [`${unreadable} of its lines could not be read.`] : []),
    ...(tooLong > 0 ? [`${tooLong} of its lines could not be read, being too long.`] : []),
  ];
  try {
    for await (const chunk of chunksOf(path, firstBytes)) {
      bytes += chunk.length;
      for (const piece of cutter.push(chunk)) take(piece);
      if (isEnough?.(reader.log, bytes)) return done(notes(), false);
    }
    // The last line may be still being written: if it cannot be read, nothing is wrong.
    for (const piece of cutter.end()) if (parseObject(piece.text)) take(piece);
    return done(notes(), true);
  } catch (error) {
    return done([...notes(), `It could not be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`], true);
  }
}

async function* chunksOf(path: string, firstBytes: number): AsyncGenerator<Uint8Array> {
  // Not through a link that has taken the file's place, and not waiting for whoever writes to a pipe.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    for (let size = firstBytes; ; size = Math.min(size * 2, MOST_BYTES)) {
      const buffer = Buffer.allocUnsafe(size);
      const { bytesRead } = await handle.read(buffer, 0, size);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** The fields of a log, without what may still be behind them. */
function plain({ id, title, cwd, model, startedAt, updatedAt, forkedFrom, isSubagent, messages }: SessionLog) {
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

/** The beginning of most files is all that a list needs. */
const FIRST_BYTES = 4 * 1024;
const MOST_BYTES = 256 * 1024;
const MAX_HEAD_BYTES = 1024 * 1024;
