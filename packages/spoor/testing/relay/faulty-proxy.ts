import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketFile } from "../../src/runtime/relay/socket-file.ts";

export interface Fault {
  /** The side whose bytes are counted. */
  of: "producer" | "server";
  /** The fault happens after this many bytes. */
  after: number;
  /** `cut`: both sides see the connection end. `hold`: bytes are held back until `release`. */
  does: "cut" | "hold";
}

export interface Proxy {
  /** A data directory whose socket forwards to the server's. */
  directory: string;
  /** Forwards the held bytes, as a suspended server would find them on waking; resolves when it has handled them. */
  release(): Promise<void>;
  end(): void;
}

/** Forwards connections to the server of a data directory until the fault happens. */
export function faultyProxy(to: string, fault: Fault): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), "spoor-proxy-"));
  const sockets = new Set<Socket>();
  const handled: Promise<unknown>[] = [];
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
    handled.push(new Promise((resolve) => target.on("close", resolve)));
    join(producer, target, "producer");
    join(target, producer, "server");
  });
  const proxy: Proxy = {
    directory,
    async release() {
      isHolding = false;
      for (const act of held.splice(0)) act();
      await Promise.all(handled);
    },
    end() {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return new Promise((resolve) => server.listen(socketFile(directory), () => resolve(proxy)));
}
