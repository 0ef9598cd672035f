import { expect, test } from "vitest";
import { createOutbox } from "./outbox.ts";

/** A socket whose client reads only when it is told to. */
function slowSocket() {
  const waiting: (() => void)[] = [];
  return {
    bufferedAmount: 0,
    isPaused: false,
    sent: 0,
    pause() {
      this.isPaused = true;
    },
    resume() {
      this.isPaused = false;
    },
    send(text: string, _: object, onSent?: () => void) {
      this.sent += 1;
      this.bufferedAmount += text.length;
      if (onSent) waiting.push(onSent);
    },
    read() {
      this.bufferedAmount = 0;
      for (const onSent of waiting.splice(0)) onSent();
    },
  };
}

test("a chat waits for a client that reads slowly, and the client is not read meanwhile", async () => {
  const socket = slowSocket();
  const outbox = createOutbox(socket);
  outbox.send({ text: "x" });
  expect([outbox.room(), socket.isPaused]).toEqual([undefined, false]);
  outbox.send({ text: "x".repeat(100_000) });
  const room = outbox.room();
  expect([room instanceof Promise, socket.isPaused]).toEqual([true, true]);
  socket.read();
  await room;
  expect([outbox.room(), socket.isPaused]).toEqual([undefined, false]);
});

test("a chat does not wait for a client that is gone, and nothing is sent to it", async () => {
  const socket = slowSocket();
  const outbox = createOutbox(socket);
  outbox.send({ text: "x".repeat(100_000) });
  const room = outbox.room();
  outbox.close();
  await room;
  outbox.send({ text: "more" });
  expect(socket.sent).toBe(1);
});
