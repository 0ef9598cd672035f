import type { OpenSocket, Socket } from "../../src/client/web-platform.ts";
import type { Envelope } from "../../src/envelope/envelope.ts";

/** What happens to the next message of a connection. */
export type Fate = "deliver" | "duplicate" | "swap" | "lose" | "cut" | "refuse";

interface Subscribed {
  id: string;
  run_id?: string;
  after: number;
}

/**
 * A server in memory whose connections break in every way: messages are cut off, doubled, lost or swapped, and some
 * connections are refused. The fates are used up in order; afterwards everything works. Loss and disorder happen only to
 * subscriptions of one run, whose sequences show it; TCP delivers the messages of one connection in order.
 */
export function unreliableServer(log: readonly Envelope[], fates: Fate[], batchSize: number) {
  let connections = 0;

  const openSocket: OpenSocket = () => {
    connections += 1;
    const isRefused = fates[0] === "refuse";
    if (isRefused) fates.shift();
    const queue: { text: string; fragile: boolean }[] = [];
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      socket.onclose?.({ code: 1006, reason: "" });
    };
    const pump = () => {
      const message = queue.shift();
      if (!message || !isOpen) return;
      const fate = fates.shift() ?? "deliver";
      const deliver = (text: string) => socket.onmessage?.({ data: text });
      if (fate === "cut") return close();
      if (fate === "swap" && message.fragile && queue[0]) deliver(queue.shift()?.text ?? "");
      if (!(fate === "lose" && message.fragile)) deliver(message.text);
      if (fate === "duplicate") deliver(message.text);
      if (queue.length > 0) setImmediate(pump);
    };
    const push = (message: object, fragile = false) => {
      queue.push({ text: JSON.stringify(message), fragile });
      if (queue.length === 1) setImmediate(pump);
    };
    const socket: Socket = {
      onopen: null,
      onmessage: null,
      onclose: null,
      onerror: null,
      send(text) {
        const message = JSON.parse(text) as Subscribed & { type: string; after_sequence?: number };
        if (message.type === "ping") push({ type: "pong", id: message.id });
        if (message.type === "subscribe") serve({ ...message, after: message.after_sequence ?? -1 }, push);
      },
      close() {
        isOpen = false;
      },
    };
    setImmediate(() => (isRefused ? close() : socket.onopen?.()));
    return socket;
  };

  function serve({ id, run_id, after }: Subscribed, push: (message: object, fragile?: boolean) => void): void {
    const wanted = log
      .map((envelope, position) => ({ envelope, cursor: run_id === undefined ? position : envelope.sequence }))
      .filter(({ envelope, cursor }) => (run_id ?? envelope.run_id) === envelope.run_id && cursor > after);
    push({ type: "resume", id, status: "ok", schema_version: "1", after_sequence: after });
    for (let at = 0; at < wanted.length; at += batchSize) {
      const batch = wanted.slice(at, at + batchSize);
      const next_after_sequence = batch.at(-1)?.cursor;
      const events = batch.map(({ envelope }) => envelope);
      push({ type: "events", id, next_after_sequence, events }, run_id !== undefined);
    }
    push({ type: "caught_up", id, next_after_sequence: wanted.at(-1)?.cursor ?? after });
  }

  return {
    openSocket,
    get connections() {
      return connections;
    },
  };
}
