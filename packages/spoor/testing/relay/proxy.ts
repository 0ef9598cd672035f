import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketFile } from "../../src/runtime/relay/socket-file.ts";

export interface Fault {
  /** Which bytes are counted: those of the producer, or those of the server. */
  of: "producer" | "server";
  /** It happens when so many have passed. */
  after: number;
  /** `cut`: both ends see the connection end. `hold`: nothing passes any more, until it is let go. */
  does: "cut" | "hold";
}

export interface Proxy {
  /** A data directory whose socket leads to that of another, as long as it does. */
  directory: string;
  /** Lets the bytes that were held come through, as a server that wakes up would find them; resolves when it has. */
  letGo(): Promise<void>;
  end(): void;
}

export function faultyProxy(to: string, fault: Fault): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), "spoor-proxy-"));
  const sockets = new Set<Socket>();
  const heard: Promise<unknown>[] = [];
  const held: (() => void)[] = [];
  let passed = 0;
  let isHolding = false;

  const server = createServer({ allowHalfOpen: true }, (producer) => {
    const target = createConnection({ path: socketFile(to) as string, allowHalfOpen: true });
    const cut = () => {
      producer.destroy();
      target.destroy();
    };
    const join = (from: Socket, to: Socket, name: Fault["of"]) => {
      sockets.add(from);
      const pass = (act: () => void) => (isHolding ? held.push(act) : act());
      from.on("error", () => {});
      from.on("end", () => pass(() => to.end()));
      from.on("close", () => pass(() => to.end()));
      from.on("data", (bytes: Buffer) => {
        const room = name === fault.of && !isHolding ? Math.max(fault.after - passed, 0) : Number.POSITIVE_INFINITY;
        passed += name === fault.of ? bytes.length : 0;
        pass(() => to.write(bytes.subarray(0, room)));
        if (bytes.length <= room) return;
        if (fault.does === "cut") return void to.end(cut);
        isHolding = true;
        held.push(() => to.write(bytes.subarray(room)));
      });
    };
    heard.push(new Promise((resolve) => target.on("close", resolve)));
    join(producer, target, "producer");
    join(target, producer, "server");
  });
  const proxy: Proxy = {
    directory,
    async letGo() {
      isHolding = false;
      for (const act of held.splice(0)) act();
      await Promise.all(heard);
    },
    end() {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return new Promise((resolve) => server.listen(socketFile(directory), () => resolve(proxy)));
}
