import { lstatSync, type Stats } from "node:fs";
import { createConnection } from "node:net";
import path from "node:path";

/**
 * Where the server of a data directory listens for producers. Only the owner can enter that directory and open the
 * socket, so no token is needed. Undefined on Windows, and where the path is too long for a socket.
 */
export function socketFile(directory: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const file = path.join(directory, "producers.sock");
  return platform === "win32" || Buffer.byteLength(file) > MAX_PATH_BYTES ? undefined : file;
}

/** Returns the socket if it exists and belongs to the current user. Events must not be sent to a socket of another user. */
export function findSocket(directory: string): string | undefined {
  const file = socketFile(directory);
  const stats = file === undefined ? undefined : statsOf(file);
  return stats?.isSocket() && stats.uid === process.getuid?.() ? file : undefined;
}

/** Whether a server listens at the socket. One that was killed leaves its socket behind, and nobody listens there. */
export async function isServed(directory: string): Promise<boolean> {
  const file = findSocket(directory);
  if (file === undefined) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = createConnection(file, () => resolve(true));
  connection.on("error", () => resolve(false));
  // A server with much to do still listens.
  connection.setTimeout(BUSY_MS, () => resolve(true));
  try {
    return await promise;
  } finally {
    connection.destroy();
  }
}

const BUSY_MS = 1_000;

export function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The longest socket path on macOS; Linux allows four bytes more. */
const MAX_PATH_BYTES = 103;
