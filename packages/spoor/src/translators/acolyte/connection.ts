import { type Chat, type ChatEnd, createChat } from "./chat.ts";
import { toErrorFields } from "./chat-error.ts";
import { ChatError, errorFields } from "./errors.ts";
import { newErrorId } from "./ids.ts";
import { type ClientMessage, NO_ID, readMessage } from "./message.ts";
import { createOutbox, type RpcSocket } from "./outbox.ts";
import { createQueue } from "./queue.ts";
import { readRequest } from "./request.ts";
import type { RpcContext } from "./rpc-context.ts";
import type { ErrorFields } from "./stream-event.ts";

/** A request on a connection. It is in the queue, runs, or has ended; only `end` ends it, once. */
interface Request {
  id: string;
  chat: Chat;
  hasEnded: boolean;
}

const MAX_QUEUED = 25;
/** The newest ids that a connection remembers. */
const MAX_IDS = 10_000;
const TOO_LARGE = "The message is larger than 1 MiB, so the connection is closed. Send a shorter history.";

/**
 * Serves the RPC of one connection: one chat runs at a time, and the others wait in the order in which they came. Every
 * request gets one `chat.done` or one `chat.error`.
 */
export function serveRpc(context: RpcContext, socket: RpcSocket) {
  const outbox = createOutbox(socket);
  const usedIds = new Set<string>();
  const queue = createQueue<Request>({
    max: MAX_QUEUED,
    perform,
    moved: ({ id }, position) => outbox.send({ id, type: "chat.queued", position }),
    counted: context.countQueued,
  });

  async function perform(request: Request): Promise<void> {
    const { id, chat } = request;
    if (context.isStopping()) return end(request, shuttingDown());
    outbox.send({ id, type: "chat.started" });
    context.tasks.note(chat.ids, "running");
    const outcome = await chat.perform((event) => {
      if (request.hasEnded) return undefined;
      outbox.send({ id, type: "chat.event", event });
      return outbox.room();
    });
    end(request, outcome);
  }

  function end(request: Request, outcome: ChatEnd): void {
    const { id, chat } = request;
    const isError = "error" in outcome;
    const isAborted = isError && outcome.error.errorCode === "E_ABORTED";
    context.tasks.note(chat.ids, isAborted ? "cancelled" : isError ? "failed" : "completed");
    if (request.hasEnded) return;
    request.hasEnded = true;
    if (isError) outbox.send({ id, type: "chat.error", ...outcome.error });
    else outbox.send({ id, type: "chat.done", reply: outcome.reply });
  }

  function start(id: string, payload: unknown): void {
    if (usedIds.has(id)) {
      const message = `The request id ${id} was already used on this connection. Use a new one for each request.`;
      refuse(id, errorFields("E_BAD_REQUEST", message, newErrorId(), "duplicate_id"));
      return;
    }
    usedIds.add(id);
    const [oldest] = usedIds;
    if (usedIds.size > MAX_IDS && oldest !== undefined) usedIds.delete(oldest);
    try {
      if (context.isStopping()) throw new ChatError("E_SHUTTING_DOWN", "The server is stopping.");
      const request = { id, chat: createChat(context, readRequest(payload)), hasEnded: false };
      if (queue.isFull()) {
        const message = `The queue of this connection is full: ${MAX_QUEUED} requests wait already. Send this one again later.`;
        throw new ChatError("E_QUEUE_FULL", message);
      }
      context.tasks.note(request.chat.ids, "accepted");
      outbox.send({ id, type: "chat.accepted", ...request.chat.ids });
      if (queue.add(request) > 0) context.tasks.note(request.chat.ids, "queued");
    } catch (error) {
      outbox.send({ id, type: "chat.error", ...toErrorFields(error) });
    }
  }

  function abort(id: string, requestId: string): void {
    const request = queue.find((each) => each.id === requestId && !each.hasEnded);
    outbox.send({ id, type: "chat.abort.result", requestId, aborted: request !== undefined });
    if (!request) return;
    request.chat.abort();
    if (!queue.remove(request)) return;
    end(request, { error: abortedInQueue() });
    queue.announce();
  }

  const refuse = (id: string, { errorMessage, ...fields }: ErrorFields) =>
    outbox.send({
      id,
      type: "error",
      error: errorMessage,
      errorId: fields.errorId,
      errorCode: fields.errorCode,
      errorDetail: fields.error,
    });

  /** Answers later, when the log was read. */
  function answer(id: string, read: () => Promise<object>): void {
    read()
      .then((message) => outbox.send({ id, ...message }))
      .catch((error) => refuse(id, toErrorFields(error)));
  }

  function handle(message: ClientMessage): void {
    const { id } = message;
    if (message.type === "chat.start") start(id, message.payload);
    else if (message.type === "chat.abort") abort(id, message.requestId);
    else if (message.type === "status.get")
      answer(id, async () => ({ type: "status.result", status: await context.status() }));
    else
      answer(id, async () => ({
        type: "task.status.result",
        task: (await context.tasks.find(message.taskId)) ?? null,
      }));
  }

  return {
    receive(text: string | undefined) {
      const message = readMessage(text);
      if ("problem" in message) refuse(message.id, errorFields("E_BAD_REQUEST", message.problem, newErrorId()));
      else handle(message);
    },
    /** The last words: nothing can be sent after them. */
    end(reason: string) {
      // Nobody knows which request it was, since it is not read.
      if (reason === "message_too_large") refuse(NO_ID, errorFields("E_BAD_REQUEST", TOO_LARGE, newErrorId(), reason));
      for (const request of queue.all()) {
        const error = context.isStopping() ? shuttingDown() : connectionClosed();
        if (!request.hasEnded) outbox.send({ id: request.id, type: "chat.error", ...error.error });
        request.hasEnded = true;
      }
      outbox.close();
    },
    close() {
      outbox.close();
      for (const request of queue.all()) {
        request.hasEnded = true;
        if (context.isStopping()) {
          queue.remove(request);
          request.chat.leave();
        } else if (request.chat.request.options?.onClose !== "continue") {
          if (queue.remove(request)) context.tasks.note(request.chat.ids, "cancelled");
          request.chat.abort();
        }
      }
    },
  };
}

const abortedInQueue = () => errorFields("E_ABORTED", "The request was aborted before it began.", newErrorId());
const shuttingDown = () => ({
  error: errorFields("E_SHUTTING_DOWN", "The server is stopping. A run that has begun stays in the log.", newErrorId()),
});
const connectionClosed = () => ({
  error: errorFields("E_CONNECTION_CLOSED", "The connection is closed before the end of the request.", newErrorId()),
});
