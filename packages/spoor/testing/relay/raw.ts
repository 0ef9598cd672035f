import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { socketFile } from "../../src/runtime/relay/socket-file.ts";

export interface Raw {
  socket: Socket;
  /** The next thing the server says; undefined when it has closed. */
  next(): Promise<Record<string, unknown> | undefined>;
}

/** A connection to the server of a directory, to say anything at all on. */
export async function connectRaw(directory: string): Promise<Raw> {
  const socket = createConnection(socketFile(directory) as string);
  await once(socket, "connect");
  socket.on("error", () => {});
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    async next() {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
  };
}
