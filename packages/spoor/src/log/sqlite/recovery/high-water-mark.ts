import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";

/**
 * Reads the greatest position as of the last complete checkpoint from the file `spoor.db.last`. A database with a lower
 * last position was replaced by an older copy. -1 if the file does not exist or is damaged.
 */
export function readHighWaterMark(database: string): number {
  try {
    return parse(readFileSync(fileOf(database), "latin1"));
  } catch {
    return -1;
  }
}

export function writeHighWaterMark(database: string, position: number): void {
  const file = openSync(fileOf(database), constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    writeSync(file, render(position), 0, "latin1");
  } finally {
    closeSync(file);
  }
}

const fileOf = (database: string): string => `${database}.last`;

const render = (position: number): string => {
  const digits = String(position).padStart(16, "0");
  return `${digits} ${crc32(digits).toString().padStart(10, "0")}\n`;
};

function parse(text: string): number {
  const position = Number(text.slice(0, 16));
  return Number.isSafeInteger(position) && text === render(position) ? position : -1;
}
