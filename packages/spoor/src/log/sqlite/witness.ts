import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";

/**
 * A file beside the database that holds the last position that was committed. SQLite drops the end of a write-ahead log
 * that it cannot read, as if it had never been; held against this, such a loss is seen, and positions that readers may
 * know are not given again. Being ahead after a loss of power is its use; being behind does no harm.
 */
export function openWitness(path: string): Witness {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  const found = Buffer.alloc(WIDTH);
  const length = readSync(file, found, 0, WIDTH, 0);
  const position = parse(found.toString("latin1", 0, length));
  let isOpen = true;
  return {
    position,
    note(position) {
      try {
        writeSync(file, render(position), 0, "latin1");
      } catch {
        // A full disk: it stays behind, and commits are what matters.
      }
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

export interface Witness {
  /** As it was when opened; -1 when there was none. */
  readonly position: number;
  note(position: number): void;
  close(): void;
}

const WIDTH = 28;

const render = (position: number): string => {
  const digits = String(position).padStart(16, "0");
  return `${digits} ${crc32(digits).toString().padStart(10, "0")}\n`;
};

function parse(text: string): number {
  const position = Number(text.slice(0, 16));
  return Number.isSafeInteger(position) && text === render(position) ? position : -1;
}
