import type { Readable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

/** A longer line is refused. Calls of this server need a few hundred bytes, and a prompt at most a few hundred thousand. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Messages as lines of JSON over standard input and output. Unlike the one of the SDK it answers a line that is no message,
 * survives one that is too long, and when its input ends, it closes only after every request has its answer.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: (line: string) => Promise<void>;
  readonly #open = new Set<RequestId>();
  #line: Buffer[] = [];
  #size = 0;
  #hasEnded = false;
  #isClosed = false;

  /** `output` rejects if nobody reads any more. */
  constructor(input: Readable, output: (line: string) => Promise<void>) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#read);
    this.#input.once("end", this.#end);
    this.#input.once("close", this.#end);
    this.#input.on("error", this.#end);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    await this.#write(message);
    if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
    this.#closeIfDone();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off("data", this.#read).pause();
    this.onclose?.();
  }

  async #write(message: object): Promise<void> {
    // A client that reads no more needs no server.
    await this.#output(`${JSON.stringify(message)}\n`).catch(() => this.close());
  }

  readonly #read = (chunk: Buffer): void => {
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      this.#add(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      this.#endLine();
    }
    this.#add(rest);
  };

  #endLine(): void {
    const line = this.#size > MAX_LINE_BYTES ? undefined : Buffer.concat(this.#line).toString("utf8").trim();
    [this.#line, this.#size] = [[], 0];
    if (line !== "") this.#receive(line);
  }

  /** Keeps nothing of a line that is already too long. */
  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= MAX_LINE_BYTES) this.#line.push(part);
    else this.#line = [];
  }

  #receive(line: string | undefined): void {
    if (line === undefined) {
      this.#refuse(null, -32600, `A line is longer than ${MAX_LINE_BYTES} bytes. Send less.`);
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(null, -32700, "A line is not valid JSON.");
      return;
    }
    const { success, data: message } = JSONRPCMessageSchema.safeParse(value);
    if (!success) {
      const { id } = (value ?? {}) as { id?: unknown };
      const given = typeof id === "string" || typeof id === "number" ? id : null;
      this.#refuse(given, -32600, "A line is no message of JSON-RPC 2.0.");
      return;
    }
    if (isJSONRPCRequest(message)) this.#open.add(message.id);
    // A cancelled request gets no answer.
    if ("method" in message && message.method === "notifications/cancelled") {
      this.#open.delete((message.params as { requestId?: RequestId } | undefined)?.requestId ?? "");
    }
    this.onmessage?.(message);
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    void this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  readonly #end = (): void => {
    // The last line may have no end.
    if (!this.#hasEnded) this.#endLine();
    this.#hasEnded = true;
    this.#closeIfDone();
  };

  #closeIfDone(): void {
    if (this.#hasEnded && this.#open.size === 0) void this.close();
  }
}

const NEWLINE = 10;
