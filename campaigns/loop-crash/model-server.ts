import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { anthropic } from "../../conformance/model-server/dialects/anthropic.ts";
import { chat } from "../../conformance/model-server/dialects/chat.ts";
import type { Frame } from "../../conformance/model-server/dialects/dialect.ts";
import type { Hold, LoopCell } from "./matrix.ts";
import { answerTo, pointOf } from "./script.ts";
import { type Asked, readRequest } from "./wire.ts";

/** A model that follows the script of a cell over a provider's wire, and can be held at one point of it. */
export class ScriptedModel {
  readonly requests: Asked[] = [];
  /** Called with each request before it is answered. */
  check: (asked: Asked, raw: string) => Promise<void> = async () => {};
  /** The second step is refused for now, so that the run waits before it tries again. */
  isOverloaded = false;
  readonly #cell: LoopCell;
  readonly #server: Server;
  #hold: Hold | undefined;
  /** How many requests were held. */
  held = 0;
  #released = Promise.withResolvers<void>();
  #rebuilt: string | undefined;
  #checking: Promise<void> = Promise.resolve();

  private constructor(cell: LoopCell, hold: Hold | undefined) {
    this.#cell = cell;
    this.#hold = hold;
    this.#server = createServer((incoming, response) => {
      // This fails only if the client is dead.
      this.#serve(incoming, response).catch(() => response.destroy());
    });
  }

  static async start(cell: LoopCell, hold: Hold | undefined): Promise<ScriptedModel> {
    const model = new ScriptedModel(cell, hold);
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From here on, nothing is held or refused. */
  release(): void {
    this.#hold = undefined;
    this.isOverloaded = false;
    this.#released.resolve();
  }

  /** Returns the body of the request that `send` sends to `/rebuilt`. */
  async bodyOf(send: () => Promise<unknown>): Promise<string | undefined> {
    this.#rebuilt = undefined;
    await send().catch(() => {});
    return this.#rebuilt;
  }

  async close(): Promise<void> {
    this.release();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(incoming);
    if (incoming.url?.startsWith("/rebuilt")) {
      this.#rebuilt = raw;
      response.writeHead(400).end("{}");
      return;
    }
    const asked = readRequest(this.#cell.wire, raw);
    this.requests.push(asked);
    this.#checking = this.#checking.then(() => this.check(asked, raw));
    await this.#checking;
    const point = pointOf(asked, this.#cell);
    if (this.isOverloaded && point === "second") {
      const body = dialects[this.#cell.wire].refuse({ status: 529, message: "Overloaded." });
      response.writeHead(529, { "content-type": "application/json", "retry-after": "300" }).end(JSON.stringify(body));
      return;
    }
    const frames = this.#frames(asked);
    const isHeld = this.#hold !== undefined && this.#hold.point === point;
    const before = !isHeld ? frames.length : this.#hold?.where === "before" ? 0 : Math.ceil(frames.length / 2);
    if (before > 0) response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames.slice(0, before)) response.write(encode(frame));
    if (isHeld) {
      this.held += 1;
      await this.#released.promise;
      if (before === 0) response.writeHead(200, { "content-type": "text/event-stream" });
    }
    for (const frame of frames.slice(before)) response.write(encode(frame));
    response.end();
  }

  #frames(asked: Asked): Frame[] {
    const blocks = answerTo(asked, this.#cell);
    return dialects[this.#cell.wire].stream({
      ...{ id: String(this.requests.length), model: "scripted", blocks },
      stop: blocks.some(({ type }) => type === "tool") ? "tool" : "end",
      usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, thinking: 0 },
    });
  }
}

const dialects = { anthropic, chat };

const encode = ({ event, data }: Frame): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
