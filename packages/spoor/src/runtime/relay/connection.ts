import { createConnection, type Socket } from "node:net";
import { createLineCutter } from "../../process/line-cutter.ts";
import { type Answer, lineOf, logErrorOf, PROTOCOL, type Request } from "./messages.ts";

export interface Patience {
  /** How long a server may take to say that it is there. */
  helloMs: number;
  /** How long it may then say nothing while something is asked: longer than a commit may wait for other processes. */
  silenceMs: number;
}

/** The server is gone, or as good as gone, and this was not answered. */
export class ConnectionLost extends Error {
  /** Whether it may have been done all the same. */
  readonly wasSent: boolean;

  constructor(wasSent: boolean) {
    super("The server does not answer any more.");
    this.wasSent = wasSent;
  }
}

/** Connects to a server that answers at once and is understood; undefined when there is none. */
export async function connect(file: string, patience: Patience): Promise<Connection | undefined> {
  const connection = new Connection(createConnection(file), patience.helloMs);
  try {
    const { protocol } = (await connection.ask({ do: "hello" })) as { protocol?: unknown };
    connection.silenceMs = patience.silenceMs;
    if (protocol === PROTOCOL) return connection;
  } catch {
    // Then there is none.
  }
  connection.close();
  return undefined;
}

/** The producer's side of a connection. Once it is lost it stays so: everything asked is answered with `ConnectionLost`. */
export class Connection {
  readonly #socket: Socket;
  /** In the order they were asked. */
  readonly #unanswered = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;
  #isLost = false;
  /** How long the server may say nothing while something is asked. */
  silenceMs: number;
  #silence: NodeJS.Timeout | undefined;

  constructor(socket: Socket, silenceMs: number) {
    this.#socket = socket;
    this.silenceMs = silenceMs;
    const cutter = createLineCutter();
    socket.on("data", (chunk: Buffer) => {
      for (const { text } of cutter.push(chunk)) this.#hear(text);
    });
    socket.on("error", () => this.close());
    socket.on("end", () => this.close());
    socket.on("close", () => this.close());
  }

  /** Rejects with the log's own error when that is the answer. */
  ask(request: Request): Promise<unknown> {
    const id = this.#asked++;
    const line = this.#isLost ? undefined : lineOf(id, request);
    // What no line can hold is not for this connection, nor is anything after it.
    if (line === undefined) {
      this.close();
      return Promise.reject(new ConnectionLost(false));
    }
    const answer = Promise.withResolvers<unknown>();
    this.#unanswered.set(id, answer);
    if (this.#unanswered.size === 1) this.#listen();
    this.#socket.write(line);
    return answer.promise;
  }

  /** What is not answered yet is lost. */
  close(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearTimeout(this.#silence);
    this.#socket.destroy();
    for (const { reject } of this.#unanswered.values()) reject(new ConnectionLost(true));
    this.#unanswered.clear();
  }

  #hear(line: string): void {
    if (this.#isLost) return;
    const answer = read(line);
    const asked = this.#unanswered.get(answer?.id as number);
    const error = answer && "error" in answer ? logErrorOf(answer.error) : undefined;
    if (answer && asked && "result" in answer) asked.resolve(answer.result);
    else if (asked && error && error.code !== "closed") asked.reject(error);
    // A server we do not understand, one that does not understand us, and one whose log is closed are as good as gone.
    else this.close();
    this.#unanswered.delete(answer?.id as number);
    if (!this.#isLost) this.#listen();
  }

  /** Only while something is asked do we wait for the server, and keep the process for it. */
  #listen(): void {
    clearTimeout(this.#silence);
    if (this.#unanswered.size === 0) {
      this.#socket.unref();
      return;
    }
    this.#socket.ref();
    this.#silence = setTimeout(() => this.close(), this.silenceMs);
  }
}

function read(line: string): Answer | undefined {
  try {
    const answer = JSON.parse(line);
    return "result" in answer || typeof answer.error.message === "string" ? answer : undefined;
  } catch {
    return undefined;
  }
}
