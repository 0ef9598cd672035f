import { createChat } from "./chat.ts";
import { errorFields } from "./errors.ts";
import { newErrorId } from "./ids.ts";
import { readRequest } from "./request.ts";
import type { RpcContext } from "./rpc-context.ts";
import type { StreamEvent } from "./stream-event.ts";

/** Server-sent events, as a route opens them. */
export interface EventStream {
  /** False when the socket is full. */
  write(frames: string): boolean;
  end(): void;
}

/** Answers a request with a stream. */
export type OpenStream = (options: { onDrain(): void; onClose(): void; bye(reason: string): string }) => EventStream;

/**
 * One chat over HTTP: its events, and at the end `done` with the reply, or `error`. The run goes on if the client hangs up,
 * unless the request says otherwise.
 *
 * @throws {ValidationError} if the request is wrong. Then there is no stream.
 */
export async function streamChat(context: RpcContext, body: unknown, open: OpenStream): Promise<void> {
  const chat = createChat(context, readRequest(body));
  let room: PromiseWithResolvers<void> | undefined;
  let isOver = false;
  const goOn = () => {
    room?.resolve();
    room = undefined;
  };
  const stream = open({
    onDrain: goOn,
    onClose() {
      goOn();
      if (isOver) return;
      if (chat.request.options?.onClose === "cancel" && !context.isStopping()) chat.abort();
      else chat.leave();
    },
    bye() {
      if (isOver) return "";
      isOver = true;
      const message = "The server is stopping. The run stays in the log.";
      return frameOf({ type: "error", ...errorFields("E_SHUTTING_DOWN", message, newErrorId()) });
    },
  });

  function send(event: StreamEvent | { type: "done"; reply: object }): Promise<void> | undefined {
    if (isOver) return undefined;
    isOver = event.type === "error" || event.type === "done";
    if (stream.write(frameOf(event))) return undefined;
    room ??= Promise.withResolvers();
    return room.promise;
  }

  await send({ type: "status", state: { kind: "accepted" }, ...chat.ids });
  context.tasks.note(chat.ids, "running");
  const outcome = await chat.perform(send);
  context.tasks.note(chat.ids, "error" in outcome ? "failed" : "completed");
  await send("error" in outcome ? { type: "error", ...outcome.error } : { type: "done", reply: outcome.reply });
  stream.end();
}

const frameOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
