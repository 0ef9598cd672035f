import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";

/**
 * A file beside the database that holds the greatest position as of the last complete checkpoint. It tells when the
 * database's own file was replaced by an older one. -1 when there is none, or it is damaged.
 */
export function readHighWater(database: string): number {
  try {
    return parse(readFileSync(fileOf(database), "latin1"));
  } catch {
    return -1;
  }
}

export function writeHighWater(database: string, position: number): void {
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
