import { clientError, SpoorClientError } from "./errors.ts";
import { type Connector, type Query, send, wordsOf } from "./http.ts";
import { createSseParser, FrameTooLarge, type SseMessage, type SseParser } from "./sse.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";
import { type ByteStream, createScope, type Scope, type Signal } from "./web-platform.ts";

/** One connection to a stream, until it ends. Whatever ends it before its time is thrown as a `SpoorClientError`. */
export interface Connection {
  /** The messages in the groups they arrived in. */
  batches(): AsyncGenerator<SseMessage[], void>;
  /** The wait before the next connection that the server asked for. */
  readonly retryMs: number | undefined;
  close(): void;
}

/** Undefined when the server says that nothing will ever follow. */
export async function connect(
  connector: Connector,
  { path, query, signal }: { path: string; query: Query; signal: Signal },
): Promise<Connection | undefined> {
  const scope = createScope(signal);
  const watchdog = createWatchdog(connector, scope);
  try {
    const request = { path, query, accept: "text/event-stream", signal: scope.signal };
    const response = await watchdog.during(() => send(connector, request));
    if (response.status === 204) {
      scope.end();
      return undefined;
    }
    if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      throw clientError("bad_response", `The answer to ${path} is no event stream.`);
    }
    const { maxFrameLength } = connector;
    return open(response.body, createSseParser({ maxFrameLength }), scope, watchdog);
  } catch (error) {
    scope.end();
    throw error;
  }
}

function open(body: ByteStream, parser: SseParser, scope: Scope, watchdog: Watchdog): Connection {
  const reader = body.getReader();
  return {
    async *batches() {
      for (;;) {
        const { done, value } = await watchdog.during(() => reader.read()).catch(named);
        if (done || value === undefined) return;
        const messages = parse(parser, value);
        if (messages.length > 0) yield messages;
      }
    },
    get retryMs() {
      return parser.retryMs;
    },
    // Aborting the request is what lets go of the connection, also in the middle of a read.
    close: () => scope.end(),
  };
}

function named(cause: unknown): never {
  if (cause instanceof SpoorClientError) throw cause;
  throw clientError("closed", `The stream broke off: ${wordsOf(cause)}`, cause);
}

function parse(parser: SseParser, bytes: Uint8Array): SseMessage[] {
  try {
    return parser.push(bytes);
  } catch (error) {
    throw error instanceof FrameTooLarge ? clientError("frame_too_large", error.message) : error;
  }
}
