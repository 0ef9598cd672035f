import { clientError, SpoorClientError } from "./errors.ts";
import { type Connector, messageOf, type Query, send } from "./http.ts";
import { createSseParser, FrameTooLarge, type SseMessage, type SseParser } from "./sse.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";
import { type ByteStream, type CancelSignal, createScope, type Scope } from "./web-platform.ts";

/** One connection to a stream. If it ends early, a `SpoorClientError` is thrown. */
export interface Connection {
  /** Yields the messages in the groups in which they arrived. */
  batches(): AsyncGenerator<SseMessage[], void>;
  /** The wait before the next connection, if the server asked for one. */
  readonly retryMs: number | undefined;
  close(): void;
}

/** Opens a connection. Returns undefined when the server answers that nothing will follow (204). */
export async function connect(
  connector: Connector,
  { path, query, signal }: { path: string; query: Query; signal: CancelSignal },
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
      throw clientError("bad_response", `The response to ${path} is not an event stream.`);
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
        const { done, value } = await watchdog.during(() => reader.read()).catch(asClientError);
        if (done || value === undefined) return;
        const messages = parse(parser, value);
        if (messages.length > 0) yield messages;
      }
    },
    get retryMs() {
      return parser.retryMs;
    },
    // Aborting the request closes the connection, even in the middle of a read.
    close: () => scope.end(),
  };
}

function asClientError(cause: unknown): never {
  if (cause instanceof SpoorClientError) throw cause;
  throw clientError("closed", `The stream was interrupted: ${messageOf(cause)}`, cause);
}

function parse(parser: SseParser, bytes: Uint8Array): SseMessage[] {
  try {
    return parser.push(bytes);
  } catch (error) {
    throw error instanceof FrameTooLarge ? clientError("frame_too_large", error.message) : error;
  }
}
