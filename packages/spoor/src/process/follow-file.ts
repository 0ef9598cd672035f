import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";

export interface FollowedFile {
  /** The descriptor the process writes to. */
  fd: number;
  /**
   * The bytes that the process writes, as soon as they are written. Ends after `finish` was called and everything was read.
   */
  stream: Readable;
  /** Call this when no process writes to the file any more. */
  finish(): void;
}

/**
 * Opens a file to use instead of a pipe, for a program that drops output when its pipe is full: a file is never full. The
 * file is unlinked at once, so nobody else can open it and nothing remains after closing. Returns undefined when the system
 * allows no such file.
 */
export function openFollowedFile(): FollowedFile | undefined {
  try {
    const folder = mkdtempSync(path.join(tmpdir(), "spoor-output-"));
    try {
      const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
      return follow(openSync(path.join(folder, "output"), flags, 0o600));
    } finally {
      rmSync(folder, { recursive: true });
    }
  } catch {
    return undefined;
  }
}

function follow(fd: number): FollowedFile {
  let position = 0;
  let isFinished = false;
  let wait = MIN_WAIT_MS;
  let timer: NodeJS.Timeout | undefined;

  const readMore = (): void => {
    timer = undefined;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const length = readSync(fd, buffer, 0, CHUNK_BYTES, position);
    position += length;
    if (length > 0) {
      wait = MIN_WAIT_MS;
      stream.push(buffer.subarray(0, length));
    } else if (isFinished) stream.push(null);
    else {
      timer = setTimeout(readMore, wait);
      wait = Math.min(wait * 2, MAX_WAIT_MS);
    }
  };
  const stream = new Readable({
    read: readMore,
    destroy(error, done) {
      clearTimeout(timer);
      closeSync(fd);
      done(error);
    },
  });
  return {
    fd,
    stream,
    finish() {
      isFinished = true;
      if (timer === undefined) return;
      clearTimeout(timer);
      readMore();
    },
  };
}

const CHUNK_BYTES = 64 * 1024;
/** How long to wait before reading again when the file has not grown. */
const MIN_WAIT_MS = 2;
const MAX_WAIT_MS = 20;
