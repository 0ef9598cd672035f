/** A WebSocket, as far as RPC uses it. The server's routes get such a one. */
export interface RpcSocket {
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  send(message: string, options: { binary?: boolean }, onSent?: () => void): void;
  pause(): void;
  resume(): void;
}

/** Sends messages, and nothing after it was closed. */
export interface Outbox {
  send(message: object): void;
  /** A promise that resolves when there is room again; undefined if there is room. */
  room(): Promise<void> | undefined;
  close(): void;
}

const MAX_BUFFERED = 64 * 1024;

export function createOutbox(socket: RpcSocket): Outbox {
  let isClosed = false;
  let full: PromiseWithResolvers<void> | undefined;

  const goOn = () => {
    if (!isClosed && socket.bufferedAmount >= MAX_BUFFERED) return;
    full?.resolve();
    full = undefined;
    if (!isClosed && socket.isPaused) socket.resume();
  };

  return {
    send(message) {
      if (isClosed) return;
      socket.send(JSON.stringify(message), {}, goOn);
      if (socket.bufferedAmount < MAX_BUFFERED) return;
      // A client that does not read its answers is not read either.
      if (!socket.isPaused) socket.pause();
      full ??= Promise.withResolvers();
    },
    room: () => full?.promise,
    close() {
      isClosed = true;
      goOn();
    },
  };
}
