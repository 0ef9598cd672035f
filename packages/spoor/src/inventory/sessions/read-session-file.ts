import { constants, open } from "node:fs/promises";
import { parseObject } from "../../agents/kit/json-values.ts";
import type { SessionLog, SessionLogs } from "../../agents/session-log.ts";
import { createLineCutter } from "../../process/line-cutter.ts";
import type { ReadResult } from "./read-result.ts";
import type { SessionFile } from "./session-files.ts";

export type IsEnough = (log: SessionLog, bytes: number) => boolean;

/** Reads a session from a file of JSON lines: all of it, or until `isEnough` returns true. */
export async function readSessionFile(
  { path, sizeBytes }: Pick<SessionFile, "path" | "sizeBytes">,
  logs: SessionLogs,
  isEnough?: IsEnough,
): Promise<ReadResult> {
  const firstBytes = isEnough
    ? FIRST_CHUNK_BYTES
    : Math.min(MAX_CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, sizeBytes + 1));
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
  const done = (notes: string[], isWhole: boolean): ReadResult => ({ log: reader.log, notes, isWhole });
  const notes = (): string[] => [
    ...(unreadable > 0 ? [`${unreadable} of its lines could not be read.`] : []),
    ...(tooLong > 0 ? [`${tooLong} of its lines are too long to be read.`] : []),
  ];
  try {
    for await (const chunk of chunksOf(path, firstBytes)) {
      bytes += chunk.length;
      for (const piece of cutter.push(chunk)) take(piece);
      if (isEnough?.(reader.log, bytes)) return done(notes(), false);
    }
    // The agent may still be writing the last line, so a last line that does not parse is not counted as unreadable.
    for (const piece of cutter.end()) if (parseObject(piece.text)) take(piece);
    return done(notes(), true);
  } catch (error) {
    return done([...notes(), `It could not be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`], true);
  }
}

async function* chunksOf(path: string, firstBytes: number): AsyncGenerator<Uint8Array> {
  // O_NOFOLLOW refuses a link that has replaced the file; O_NONBLOCK keeps a named pipe from blocking the open call.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    for (let size = firstBytes; ; size = Math.min(size * 2, MAX_CHUNK_BYTES)) {
      const buffer = Buffer.allocUnsafe(size);
      const { bytesRead } = await handle.read(buffer, 0, size);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Lists need only the beginning of most files. */
const FIRST_CHUNK_BYTES = 4 * 1024;
const MAX_CHUNK_BYTES = 256 * 1024;
