import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createLineCutter } from "../../process/line-cutter.ts";
import { type ReadableLog, storedLines } from "../recorder/stored-lines.ts";
import { type Answer, type Id, MAX_LINE_BYTES, PROTOCOL, type Request, refusalOf } from "./messages.ts";
import { readRequest, Unreadable } from "./read-request.ts";

/** Characters that may wait to be appended before we read on. */
const LIMIT = 8 * 1024 * 1024;
/** How long a producer may take to hear the last answers. */
const LINGER_MS = 2_000;

/**
 * The server's side of one connection. Requests are begun in the order they come. What cannot be read is answered and
 * ends the conversation; whatever ends it, what was begun is finished and answered first.
 */
export function converse(socket: Socket, log: ReadableLog, maxLineBytes = MAX_LINE_BYTES): Conversation {
  const cutter = createLineCutter({ maxBytes: maxLineBytes });
  const underWay = new Set<Promise<void>>();
  let waiting = 0;
  let ending: Promise<void> | undefined;

  const isFull = (): boolean => waiting > LIMIT || socket.writableNeedDrain;
  const readOn = (): void => {
    if (!ending && !isFull()) socket.resume();
  };
  const say = (answer: Answer): void => {
    if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
  };

  async function act({ id, ...request }: Request & { id: Id }): Promise<void> {
    try {
      say({ id, result: (await actions[request.do](log, request as never)) ?? null });
    } catch (error) {
      say({ id, error: refusalOf(error) });
    }
  }

  function begin(request: Request & { id: Id }, size: number): void {
    waiting += size;
    const work = act(request).finally(() => {
      waiting -= size;
      underWay.delete(work);
      readOn();
    });
    underWay.add(work);
  }

  function take(chunk: Buffer): void {
    for (const { text, continues } of cutter.push(chunk)) {
      if (ending) return;
      try {
        if (continues) throw new Unreadable(`A line is longer than ${maxLineBytes} bytes.`);
        begin(readRequest(text), text.length);
      } catch (error) {
        say({ id: (error as Unreadable).id, error: refusalOf(error) });
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
    await Promise.all(underWay);
    if (socket.destroyed) return;
    // A producer that does not listen keeps nobody from stopping.
    const heard = once(socket.end(), "finish").catch(() => {});
    await Promise.race([heard, sleep(LINGER_MS, undefined, { ref: false })]);
    socket.destroy();
  }

  socket.on("data", take);
  socket.on("drain", readOn);
  socket.on("end", () => void end());
  socket.on("close", () => void end());
  return { end };
}

export interface Conversation {
  /** Reads nothing more; resolves when what was begun is done and answered. */
  end(): Promise<void>;
}

type Actions = {
  [name in Request["do"]]: (log: ReadableLog, request: Extract<Request, { do: name }>) => Promise<unknown>;
};

const actions: Actions = {
  hello: async () => ({ protocol: PROTOCOL }),
  append: (log, { batch }) => log.append(batch),
  async tape(log, { run_id, epoch, lines }) {
    // Tapes know no epochs; appending nothing asks whether this one still holds.
    if (epoch !== undefined) await log.append([{ run_id, epoch, drafts: [] }]);
    await log.tapes.append(run_id, lines);
  },
  runs: (log, { query }) => log.runs(query),
  read: (log, { run_id, after }) => storedLines(log)(run_id, after),
};
