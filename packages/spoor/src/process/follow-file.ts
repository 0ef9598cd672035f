import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";

export interface FollowedFile {
  /** For the process to write to. */
  fd: number;
  /** What it writes, as it comes; ends once `finish` was called and all was read. */
  stream: Readable;
  /** Nobody writes any more. */
  finish(): void;
}

/**
 * A file in place of a pipe, for a program that loses what it cannot write at once: a file is never full, however busy we
 * are. It has no name, so nobody else can open it and nothing is left of it once it is closed. Undefined where there can be
 * no such file.
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

  const look = (): void => {
    timer = undefined;
    const room = Buffer.allocUnsafe(CHUNK_BYTES);
    const length = readSync(fd, room, 0, CHUNK_BYTES, position);
    position += length;
    if (length > 0) {
      wait = MIN_WAIT_MS;
      stream.push(room.subarray(0, length));
    } else if (isFinished) stream.push(null);
    else {
      timer = setTimeout(look, wait);
      wait = Math.min(wait * 2, MAX_WAIT_MS);
    }
  };
  const stream = new Readable({
    read: look,
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
      look();
    },
  };
}

const CHUNK_BYTES = 64 * 1024;
/** Between two looks at a file that has not grown. */
const MIN_WAIT_MS = 2;
const MAX_WAIT_MS = 20;
