import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createLineCutter } from "../../process/line-cutter.ts";
import { type ReadableLog, storedLines } from "../recorder/stored-lines.ts";
import { type Answer, type Id, MAX_LINE_BYTES, PROTOCOL, type Request, refusalOf } from "./messages.ts";
import { InvalidRequest, readRequest } from "./read-request.ts";
import { packed, unpacked } from "./row-codec.ts";
import { waitForCommands } from "./wait-for-commands.ts";

/** Characters of unfinished requests beyond which nothing more is read from the socket. */
const MAX_PENDING = 8 * 1024 * 1024;
/** How long a producer may take to receive the last answers. */
const LINGER_MS = 2_000;

/**
 * The server's side of one connection. Requests start in the order they arrive. An invalid request is answered with an
 * error and ends the connection. However the connection ends, requests that have started are finished and answered first.
 */
export function handleProducer(socket: Socket, log: ReadableLog, maxLineBytes = MAX_LINE_BYTES): ProducerConnection {
  const cutter = createLineCutter({ maxBytes: maxLineBytes });
  const running = new Set<Promise<void>>();
  /** Aborts when the connection ends: nobody then waits for commands. */
  const stopping = new AbortController();
  let pending = 0;
  let ending: Promise<void> | undefined;

  const isFull = (): boolean => pending > MAX_PENDING || socket.writableNeedDrain;
  const resume = (): void => {
    if (!ending && !isFull()) socket.resume();
  };
  const send = (answer: Answer): void => {
    if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
  };

  async function answer({ id, ...request }: Request & { id: Id }): Promise<void> {
    try {
      send({ id, result: (await actions[request.do](log, request as never, stopping.signal)) ?? null });
    } catch (error) {
      send({ id, error: refusalOf(error) });
    }
  }

  function start(request: Request & { id: Id }, size: number): void {
    pending += size;
    const work = answer(request).finally(() => {
      pending -= size;
      running.delete(work);
      resume();
    });
    running.add(work);
  }

  function receive(chunk: Buffer): void {
    for (const { text, continues } of cutter.push(chunk)) {
      if (ending) return;
      try {
        if (continues) throw new InvalidRequest(`The request is longer than ${maxLineBytes} bytes.`);
        start(readRequest(text), text.length);
      } catch (error) {
        send({ id: (error as InvalidRequest).id, error: refusalOf(error) });
        void end();
      }
    }
    if (isFull()) socket.pause();
  }

  const end = (): Promise<void> => {
    ending ??= finish();
    return ending;
  };
  async function finish(): Promise<void> {
    socket.pause();
    stopping.abort();
    await Promise.all(running);
    if (socket.destroyed) return;
    // A producer that does not read its answers must not keep the server from stopping.
    const received = once(socket.end(), "finish").catch(() => {});
    await Promise.race([received, sleep(LINGER_MS, undefined, { ref: false })]);
    socket.destroy();
  }

  socket.on("data", receive);
  socket.on("drain", resume);
  socket.on("end", () => void end());
  socket.on("close", () => void end());
  return { end };
}

export interface ProducerConnection {
  /** Reads nothing more; resolves when the requests that had started are finished and answered. */
  end(): Promise<void>;
}

type Actions = {
  [name in Request["do"]]: (
    log: ReadableLog,
    request: Extract<Request, { do: name }>,
    stopping: AbortSignal,
  ) => Promise<unknown>;
};

const actions: Actions = {
  hello: async () => ({ protocol: PROTOCOL }),
  append: (log, { batch }) =>
    log.append(batch.map((append) => (append.effects ? { ...append, effects: unpacked(append.effects) } : append))),
  tape: (log, { run_id, lines, idempotency_key }) => log.tapes.append(run_id, lines, { idempotency_key }),
  runs: (log, { query }) => log.runs(query),
  read: (log, { run_id, after }) => storedLines(log)(run_id, after),
  find: async (log, { table, key }) => packed(await log.rows.find(table, key)),
  list: async (log, { table, query }) => packed(await log.rows.list(table, unpacked(query))),
  write: (log, { effects, idempotency_key }) => log.rows.write(unpacked(effects), { idempotency_key }),
  extend: (log, { run_id, epoch, leaseMs }) => log.queue.extend(run_id, epoch, leaseMs),
  release: (log, { run_id, epoch }) => log.queue.release(run_id, epoch),
  commands: waitForCommands,
};
