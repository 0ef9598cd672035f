import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isLocked, takeLock } from "../../log/sqlite/file-lock.ts";

/** What a running server writes into its data directory, for `spoor login` and for a second `spoor serve`. */
export interface ServerNote {
  pid: number;
  url: string;
  /** The file that holds the token. */
  token_file: string;
}

/** A server that another process runs. */
export interface RunningServer extends ServerNote {
  /** Logs a browser in. It works once, until `expires_at` (RFC 3339). */
  login_url: string;
  expires_at: string;
}

/** The right to be the only server of a data directory. The system releases it when the process ends, however it ends. */
export interface Claim {
  /** Writes a note with the server's address. Claiming the directory has removed the note of an earlier server. */
  announce(note: ServerNote): void;
  /** Removes the note, because the server is stopping. */
  withdraw(): void;
  release(): void;
}

/** Claims a data directory. Returns undefined if another process has claimed it. */
export function claimDirectory(directory: string): Claim | undefined {
  const lock = takeLock(lockFile(directory));
  if (lock === "held") return undefined;
  // Without a lock, as on read-only media, the server starts anyway and writes no note.
  if (lock === undefined) return { announce() {}, withdraw() {}, release() {} };
  const file = noteFile(directory);
  rmSync(file, { force: true });
  return {
    announce(note) {
      const fresh = `${file}.${process.pid}`;
      writeFileSync(fresh, `${JSON.stringify(note)}\n`, { mode: 0o600 });
      renameSync(fresh, file);
    },
    withdraw: () => rmSync(file, { force: true }),
    release: () => lock.release(),
  };
}

/** Finds the server that has claimed a data directory. A server that is just starting has no note yet. */
export function findClaim(directory: string): { note: ServerNote | undefined } | undefined {
  return isLocked(lockFile(directory)) ? { note: readNote(noteFile(directory)) } : undefined;
}

const lockFile = (directory: string): string => path.join(directory, "server.lock");

const noteFile = (directory: string): string => path.join(directory, "server.json");

function readNote(file: string): ServerNote | undefined {
  try {
    const { pid, url, token_file } = JSON.parse(readFileSync(file, "utf8")) as Partial<ServerNote>;
    if (pid === undefined || url === undefined || token_file === undefined) return undefined;
    return { pid, url, token_file };
  } catch {
    return undefined;
  }
}
