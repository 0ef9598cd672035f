import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { socketFile } from "../../src/runtime/relay/socket-file.ts";

export interface RawConnection {
  socket: Socket;
  /** The server's next message; undefined when it has closed the connection. */
  next(): Promise<Record<string, unknown> | undefined>;
}

/** Connects to the server of a directory without our client, to send it arbitrary bytes. */
export async function connectRaw(directory: string): Promise<RawConnection> {
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
