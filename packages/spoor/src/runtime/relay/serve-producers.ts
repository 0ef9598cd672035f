import { once } from "node:events";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import path from "node:path";
import type { ReadableLog } from "../recorder/stored-lines.ts";
import type { ProducerConnection } from "./handle-producer.ts";
import { socketFile, statsOf } from "./socket-file.ts";

/** Which log producers append to, and in which data directory they look for the socket. */
export interface ServeProducersOptions {
  log: ReadableLog;
  directory: string;
  /** Receives the reason why producers cannot connect. The server still works: producers write the log themselves. */
  onFailure?: (error: Error) => void;
  maxLineBytes?: number;
  /** Called when a producer is gone: it has ended, or it was killed. */
  onGone?(): void;
}

/** The socket that producers append through. */
export interface ProducerService {
  /** Accepts no more producers; resolves when running requests are finished and answered, and the socket is removed. */
  close(): Promise<void>;
}

/**
 * Lets the producers of a data directory append to its log through this process, on a socket in that directory. Does
 * nothing where another server already listens.
 *
 * @example
 * const producers = await serveProducers({ log, directory: "./runs" });
 * process.once("SIGINT", () => producers.close());
 */
export async function serveProducers(options: ServeProducersOptions): Promise<ProducerService> {
  const { log, directory, onFailure, maxLineBytes, onGone } = options;
  const file = socketFile(directory);
  if (file === undefined || (await isListenedTo(file))) return noService;
  const connections = new Set<Promise<ProducerConnection>>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // A producer that is gone needs no answer.
    socket.on("error", () => {});
    // Loaded at the first connection, so that the server starts sooner.
    const connection = import("./handle-producer.ts").then(({ handleProducer }) =>
      handleProducer(socket, log, maxLineBytes),
    );
    connections.add(connection);
    // The socket may close while a request is still being appended.
    socket.on("close", async () => {
      await (await connection).end();
      connections.delete(connection);
      onGone?.();
    });
  });
  try {
    const remove = await listen(server, file);
    return {
      async close() {
        remove();
        server.close();
        await Promise.all([...connections].map(async (connection) => (await connection).end()));
      },
    };
  } catch (error) {
    server.close();
    onFailure?.(error as Error);
    return noService;
  }
}

const noService: ProducerService = { close: async () => {} };

/** False for the socket file that a killed server left behind. */
async function isListenedTo(file: string): Promise<boolean> {
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

/**
 * Renames the socket to its final name once it accepts connections and only its owner may open it. Returns a function
 * that removes it, unless another server has replaced it.
 */
async function listen(server: Server, file: string): Promise<() => void> {
  const stale = statsOf(file);
  if (stale && !stale.isSocket()) {
    throw new Error(
      `${file} exists and is not a socket, so producers cannot connect. Remove it and restart the server.`,
    );
  }
  // This name is not longer than the final one, which is known to fit.
  const fresh = path.join(path.dirname(file), `sock.${process.pid}`);
  rmSync(fresh, { force: true });
  await once(server.listen(fresh), "listening");
  // A connection that cannot be accepted fails on the producer's side, which then writes the log itself.
  server.on("error", () => {});
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
  const own = statsOf(file);
  return () => {
    const now = statsOf(file);
    if (now && now.ino === own?.ino && now.dev === own.dev) rmSync(file, { force: true });
  };
}
