import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type ProcessHandle, type ProcessOptions, spawnProcess } from "../../process/spawn.ts";
import type { ProcessControls } from "../../runtime/queue/executor.ts";
import { MAX_MESSAGE_BYTES, tooLarge } from "./limits.ts";

/** How long a server may take to end by itself when its input is closed, and after SIGTERM. */
const END_MS = 1_000;

export interface StdioOptions extends Pick<ProcessOptions, "command" | "args" | "env" | "cwd" | "mark"> {
  /** A line of standard error, or one of standard output that is no message. */
  onLine(line: string): void;
  controls(processes: ProcessControls): void;
}

/** A connection to a server that is a child process, which speaks in lines of JSON. Its whole process tree ends with it. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  /** The requests that wait for an answer. */
  readonly #waiting = new Set<string | number>();
  #child: ProcessHandle | undefined;
  #read: Promise<void> | undefined;
  /** How the process ended; undefined while it runs. */
  ending: string | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { onLine: _, controls, ...options } = this.#options;
    const child = spawnProcess({
      ...options,
      stdin: "pipe",
      framing: "lines",
      maxLineBytes: MAX_MESSAGE_BYTES,
      gracePeriodMs: END_MS,
      lingerMs: 0,
    });
    if (child.pid === undefined) throw (await child.exited).error ?? new Error("It could not be started.");
    this.#child = child;
    controls({ pause: child.pause, resume: child.resume, kill: child.kill });
    this.#read = this.#readAll(child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message && "id" in message) this.#waiting.add(message.id);
    if (!this.#child || !(await this.#child.write(`${JSON.stringify(message)}\n`)))
      throw new Error("The server has closed its input.");
  }

  /** Resolves when the process and all its descendants are gone. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.endInput();
    const timer = setTimeout(() => child.terminate(), END_MS);
    await this.#read;
    clearTimeout(timer);
  }

  async #readAll(child: ProcessHandle): Promise<void> {
    let isTooLong = false;
    for await (const { source, line, continues } of child.output) {
      const wasTooLong = isTooLong;
      isTooLong = continues === true;
      if (source === "stderr") this.#options.onLine(line);
      else if (isTooLong || wasTooLong) this.#refuse(wasTooLong);
      else this.#take(line);
    }
    const { code, signal } = await child.exited;
    this.ending = signal === null ? `exit code ${code}` : `signal ${signal}`;
    this.onclose?.();
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line) as JSONRPCMessage;
      if (typeof message !== "object" || message === null || message.jsonrpc !== "2.0") throw new Error("no message");
    } catch {
      this.#options.onLine(line);
      return;
    }
    if ("id" in message && message.id !== undefined && !("method" in message)) this.#waiting.delete(message.id);
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  /** Nobody knows to which request a message belongs that is too long to be read, so all that wait get an error. */
  #refuse(isRest: boolean): void {
    if (isRest) return;
    for (const id of this.#waiting)
      this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message: tooLarge } });
    this.#waiting.clear();
  }
}
