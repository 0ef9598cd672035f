import type { ServerMessage } from "../api/websocket.ts";
import { clientError, SpoorClientError } from "./errors.ts";
import type { Connector } from "./http.ts";
import { createScope, type OpenSocket } from "./web-platform.ts";

/** One WebSocket to the server. */
export interface HubConnection {
  send(message: object): void;
  /** Asks the server for a sign of life. Without any within `withinMs`, the connection counts as lost. */
  check(withinMs?: number): void;
  close(): void;
  /** Resolves when the connection is over, with the reason. It never rejects. */
  readonly ended: Promise<SpoorClientError>;
}

export interface ConnectionHandlers {
  opened(): void;
  /** A `SpoorClientError` that this throws ends the connection. */
  received(message: ServerMessage): void;
}

/** After waking, or when the page is shown again, an answer should take no longer than this. */
const QUICK_MS = 2_000;

/**
 * Opens a connection and notices when it dies silently. A browser does not show the pings of the server to a page, so a page
 * whose connection is silent asks for an answer itself. A machine that slept asks at once after waking.
 */
export function openConnection(
  { url, clock, staleAfterMs }: Pick<Connector, "url" | "clock" | "staleAfterMs">,
  { open, token }: { open: OpenSocket; token: string | undefined },
  { opened, received }: ConnectionHandlers,
): HubConnection {
  const { promise: ended, resolve } = Promise.withResolvers<SpoorClientError>();
  const { signal, end } = createScope();
  const idleMs = staleAfterMs / 3;
  let isOpen = false;
  let signsOfLife = 0;
  let heardAt = clock.now();

  const socket = open(
    `${url.replace(/^http/i, "ws")}/v1/ws`,
    token === undefined ? ["spoor.v1"] : ["spoor.v1", `bearer.${token}`],
  );
  socket.onopen = () => {
    isOpen = true;
    heard();
    opened();
  };
  socket.onmessage = ({ data }) => {
    heard();
    try {
      received(parse(data));
    } catch (error) {
      if (!(error instanceof SpoorClientError)) throw error;
      finish(error);
    }
  };
  socket.onclose = ({ code, reason }) => {
    finish(
      isOpen
        ? clientError("closed", `The connection was closed (${code}${reason && `, ${reason}`}).`)
        : clientError("network", `No connection to ${url}.`),
    );
  };
  // Every error is followed by `close`.
  socket.onerror = () => {};
  void watch();

  function heard(): void {
    signsOfLife += 1;
    heardAt = clock.now();
  }

  function finish(error: SpoorClientError): void {
    if (signal.aborted) return;
    end();
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
    resolve(error);
  }

  const send = (message: object) => {
    if (isOpen && !signal.aborted) socket.send(JSON.stringify(message));
  };

  async function ask(withinMs: number): Promise<void> {
    const before = signsOfLife;
    send({ type: "ping", id: "ping" });
    await clock.sleep(withinMs, signal);
    if (signsOfLife === before) finish(clientError("timeout", `The server sent nothing for ${withinMs} ms.`));
  }

  async function watch(): Promise<void> {
    const tickMs = idleMs / 3;
    while (!signal.aborted) {
      const before = clock.now();
      await clock.sleep(tickMs, signal);
      if (signal.aborted) return;
      const hasSlept = clock.now() - before > 3 * tickMs;
      if (hasSlept) await ask(Math.min(QUICK_MS, idleMs));
      else if (clock.now() - heardAt >= idleMs) await ask(idleMs);
    }
  }

  return {
    send,
    check: (withinMs = QUICK_MS) => void ask(Math.min(withinMs, idleMs)),
    close: () => finish(clientError("closed", "The connection was closed by this client.")),
    ended,
  };
}

function parse(data: unknown): ServerMessage {
  try {
    const message: unknown = JSON.parse(String(data));
    // The content is checked where it is used. Types that this client does not know are ignored there.
    if (typeof message === "object" && message !== null && "type" in message) return message as ServerMessage;
  } catch {
    // Reported below, like JSON that is not a message.
  }
  throw clientError("broken_stream", `The server sent something that is not a message: ${String(data).slice(0, 80)}`);
}
