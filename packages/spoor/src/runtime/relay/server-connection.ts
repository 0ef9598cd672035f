import { createConnection, type Socket } from "node:net";
import { createLineCutter } from "../../process/line-cutter.ts";
import { type Answer, logErrorOf, PROTOCOL, type Request, requestLine } from "./messages.ts";

export interface Timeouts {
  /** How long a server may take to answer the first request. */
  helloMs: number;
  /** How long it may then stay silent while a request is unanswered: longer than a commit may wait for other processes. */
  silenceMs: number;
}

/** The connection to the server ended, or the server stopped answering, before this request was answered. */
export class ConnectionLost extends Error {
  /** Whether the server may have carried out the request, or may still do so. */
  readonly wasSent: boolean;

  constructor(wasSent: boolean) {
    super("The server stopped answering.");
    this.wasSent = wasSent;
  }
}

/** Connects to a server that answers in time and speaks our protocol; undefined when there is none. */
export async function connect(
  file: string,
  timeouts: Timeouts,
  { keepsAlive = true } = {},
): Promise<ServerConnection | undefined> {
  const connection = new ServerConnection(createConnection(file), timeouts.helloMs, keepsAlive);
  try {
    const { protocol } = (await connection.ask({ do: "hello" })) as { protocol?: unknown };
    connection.silenceMs = timeouts.silenceMs;
    if (protocol === PROTOCOL) return connection;
  } catch {
    // No usable server: the caller opens the log itself.
  }
  connection.close();
  return undefined;
}

/** The producer's side of a connection. Once lost it stays lost: every request is rejected with `ConnectionLost`. */
export class ServerConnection {
  readonly #socket: Socket;
  /** In the order they were sent. */
  readonly #unanswered = new Map<number, PromiseWithResolvers<unknown>>();
  #nextId = 0;
  #isLost = false;
  silenceMs: number;
  #silenceTimer: NodeJS.Timeout | undefined;
  /** Whether an unanswered request keeps the process alive. */
  readonly #keepsAlive: boolean;

  constructor(socket: Socket, silenceMs: number, keepsAlive = true) {
    this.#socket = socket;
    this.silenceMs = silenceMs;
    this.#keepsAlive = keepsAlive;
    if (!keepsAlive) socket.unref();
    const cutter = createLineCutter();
    socket.on("data", (chunk: Buffer) => {
      for (const { text } of cutter.push(chunk)) this.#receive(text);
    });
    socket.on("error", () => this.close());
    socket.on("end", () => this.close());
    socket.on("close", () => this.close());
  }

  /** Rejects with a `LogError` when the server's log refused the request. */
  ask(request: Request): Promise<unknown> {
    const id = this.#nextId++;
    const line = this.#isLost ? undefined : requestLine(id, request);
    // A request that is too long for a line cannot be sent. Later requests must not overtake it, so the connection ends here.
    if (line === undefined) {
      this.close();
      return Promise.reject(new ConnectionLost(false));
    }
    const answer = Promise.withResolvers<unknown>();
    this.#unanswered.set(id, answer);
    if (this.#unanswered.size === 1) this.#restartTimer();
    this.#socket.write(line);
    return answer.promise;
  }

  /** Rejects all unanswered requests with `ConnectionLost`. */
  close(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearTimeout(this.#silenceTimer);
    this.#socket.destroy();
    for (const { reject } of this.#unanswered.values()) reject(new ConnectionLost(true));
    this.#unanswered.clear();
  }

  #receive(line: string): void {
    if (this.#isLost) return;
    const answer = readAnswer(line);
    const request = this.#unanswered.get(answer?.id as number);
    const error = answer && "error" in answer ? logErrorOf(answer.error) : undefined;
    if (answer && request && "result" in answer) request.resolve(answer.result);
    else if (request && error && error.code !== "closed") request.reject(error);
    // The two sides do not understand each other, or the server's log is closed: as good as no server.
    else this.close();
    this.#unanswered.delete(answer?.id as number);
    if (!this.#isLost) this.#restartTimer();
  }

  /** The connection keeps the process alive only while a request is unanswered. */
  #restartTimer(): void {
    clearTimeout(this.#silenceTimer);
    if (this.#unanswered.size === 0) {
      this.#socket.unref();
      return;
    }
    this.#silenceTimer = setTimeout(() => this.close(), this.silenceMs);
    if (this.#keepsAlive) this.#socket.ref();
    else this.#silenceTimer.unref();
  }
}

function readAnswer(line: string): Answer | undefined {
  try {
    const answer = JSON.parse(line);
    return "result" in answer || typeof answer.error.message === "string" ? answer : undefined;
  } catch {
    return undefined;
  }
}
