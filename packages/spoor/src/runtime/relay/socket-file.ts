import { lstatSync, type Stats } from "node:fs";
import path from "node:path";

/**
 * Where the server of a data directory listens for producers. Only the owner can enter that directory and open the socket:
 * nobody else has to be kept out, and there is no secret to hand over. Undefined where there can be no such socket.
 */
export function socketFile(directory: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const file = path.join(directory, "producers.sock");
  return platform === "win32" || Buffer.byteLength(file) > MAX_PATH_BYTES ? undefined : file;
}

/** The socket, if there is one that was made by the user we are: no other is trusted with what a run says. */
export function findSocket(directory: string): string | undefined {
  const file = socketFile(directory);
  const stats = file === undefined ? undefined : statsOf(file);
  return stats?.isSocket() && stats.uid === process.getuid?.() ? file : undefined;
}

export function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** What fits into a socket's address on macOS; Linux takes four more. */
const MAX_PATH_BYTES = 103;
