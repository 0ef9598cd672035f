import { once } from "node:events";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import path from "node:path";
import type { ReadableLog } from "../recorder/stored-lines.ts";
import type { Conversation } from "./conversation.ts";
import { socketFile, statsOf } from "./socket-file.ts";

export interface ServeProducersOptions {
  log: ReadableLog;
  directory: string;
  /** Told why nobody can record through this server. Producers write the log themselves then, so all else goes on. */
  onFailure?: (error: Error) => void;
  maxLineBytes?: number;
}

export interface ProducerService {
  /** No more come. What is being appended is finished and answered; then connections and socket are gone. */
  close(): Promise<void>;
}

/**
 * Lets the producers of a data directory append to its log through this process, on a socket in that directory. Where
 * another server already does, it is left alone.
 */
export async function serveProducers(options: ServeProducersOptions): Promise<ProducerService> {
  const { log, directory, onFailure, maxLineBytes } = options;
  const file = socketFile(directory);
  if (file === undefined || (await isAnswered(file))) return nobody;
  const conversations = new Set<Promise<Conversation>>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // Whoever is gone needs no answer.
    socket.on("error", () => {});
    // A server starts sooner without what it needs only then.
    const conversation = import("./conversation.ts").then(({ converse }) => converse(socket, log, maxLineBytes));
    conversations.add(conversation);
    // It may have gone while something it sent is still being appended.
    socket.on("close", async () => {
      await (await conversation).end();
      conversations.delete(conversation);
    });
  });
  try {
    const remove = await listen(server, file);
    return {
      async close() {
        remove();
        server.close();
        await Promise.all([...conversations].map(async (conversation) => (await conversation).end()));
      },
    };
  } catch (error) {
    server.close();
    onFailure?.(error as Error);
    return nobody;
  }
}

const nobody: ProducerService = { close: async () => {} };

/** Whether there is somebody at the other end of this file; a server that was killed leaves it behind. */
async function isAnswered(file: string): Promise<boolean> {
  const socket = createConnection(file);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The socket appears under its name when it is ready, and only to us. Gives what takes it away again, if it is still ours. */
async function listen(server: Server, file: string): Promise<() => void> {
  const stale = statsOf(file);
  if (stale && !stale.isSocket()) throw new Error(`${file} is in the way: it is no socket.`);
  // No longer than the name it gets, which is known to fit.
  const fresh = path.join(path.dirname(file), `sock.${process.pid}`);
  rmSync(fresh, { force: true });
  await once(server.listen(fresh), "listening");
  // A connection that cannot be accepted is the producer's to notice.
  server.on("error", () => {});
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
  const own = statsOf(file);
  return () => {
    const now = statsOf(file);
    if (now && now.ino === own?.ino && now.dev === own.dev) rmSync(file, { force: true });
  };
}
