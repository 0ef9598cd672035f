import type { ChatRequest } from "@spoor/protocol/api";
import type { Log } from "../../log/log.ts";
import type { Conversations } from "../conversation/conversations.ts";
import { acolyteTranslator } from "./acolyte.ts";
import { toErrorFields } from "./chat-error.ts";
import { ChatError, errorFields } from "./errors.ts";
import { newErrorId, newUlid, sessionIdOf, taskIdOf } from "./ids.ts";
import { createReply, type Reply } from "./reply.ts";
import { historyOf } from "./request.ts";
import { beginIn, type Session } from "./sessions.ts";
import { changesOf, specOf } from "./spec.ts";
import type { ErrorFields, StreamEvent } from "./stream-event.ts";

/** What chats need: the log, and the way to the agents. */
export interface ChatContext {
  log: Log;
  conversations: Conversations;
}

/** The ids of a request, which it has before its run begins. */
export interface ChatIds {
  taskId: string;
  sessionId: string;
  runId: string;
}

/** How a request ended. */
export type ChatEnd = { reply: Reply & ChatIds } | { error: ErrorFields };

/** One request: a run that is not started before `perform` is called. */
export interface Chat {
  readonly ids: ChatIds;
  readonly request: ChatRequest;
  /** Starts the run and passes its events on until it is over. Waits for `send`, so that a slow reader holds no backlog. */
  perform(send: (event: StreamEvent) => Promise<void> | undefined): Promise<ChatEnd>;
  /** Cancels the run, which ends the request with an error. */
  abort(): void;
  /** Ends the request, and lets the run go on. */
  leave(): void;
}

/** How long an aborted request waits for the end of its run. The runtime enforces a cancel before that. */
const ABORT_MS = 30_000;

export function createChat({ log, conversations }: ChatContext, request: ChatRequest): Chat {
  const ulid = newUlid();
  const runId = `run_${ulid}`;
  const ids: ChatIds = { taskId: taskIdOf(ulid), sessionId: request.sessionId ?? sessionIdOf(ulid), runId };
  const left = new AbortController();
  let isStarted = false;
  let isAborted = false;
  let deadline: NodeJS.Timeout | undefined;

  async function start(session: Session): Promise<void> {
    const isNew = "new_task_id" in session;
    const spec = isNew ? specOf(request) : changesOf(request);
    const history = isNew ? historyOf(request) : [];
    try {
      await conversations.ask({ text: request.message, ...session, run_id: runId, spec, history });
    } catch (error) {
      // If nothing could take the run, it must not begin later, when nobody expects it.
      if (await log.run(runId)) cancel();
      throw error;
    }
    isStarted = true;
  }

  function cancel(): void {
    deadline ??= setTimeout(() => left.abort(), ABORT_MS).unref();
    // The run may end by itself at the same moment. Following it shows how it ended.
    conversations.tell(runId, "cancel", { reason: "The client aborted the request." }).catch(() => {});
  }

  const aborted = (errorId = newErrorId()): ErrorFields =>
    errorFields("E_ABORTED", "The request was aborted.", errorId);

  async function perform(send: Parameters<Chat["perform"]>[0]): Promise<ChatEnd> {
    if (isAborted) return { error: aborted() };
    await beginIn(log, ids.sessionId, ulid, start);
    if (isAborted) cancel();
    const translator = acolyteTranslator();
    const reply = createReply();
    let error: ErrorFields | undefined;
    let isFinished = false;
    for await (const envelope of conversations.follow(runId, { signal: left.signal })) {
      const events = translator.translate(envelope);
      reply.add(envelope, events);
      isFinished ||= envelope.type === "run.finished";
      for (const event of events) {
        if (event.type === "error") error = event;
        // The run knows only that it was cancelled. The event and the end of the request say the same.
        const isOwn = event.type === "error" && isAborted;
        await send(isOwn ? { type: "error", ...aborted(event.errorId) } : event);
      }
    }
    const whole = isFinished ? await named(reply.take()) : undefined;
    if (isAborted) return { error: aborted(error?.errorId) };
    if (error) {
      const { errorMessage, errorId, errorCode, error: detail } = error;
      return { error: { errorMessage, errorId, errorCode, error: detail } };
    }
    if (whole) return { reply: { ...whole, ...ids } };
    throw new ChatError("E_STREAM_CUT", `The server stopped following the run. It goes on in the log: ${runId}.`);
  }

  /** Clients need the name of a model, and some agents do not say which one they use. */
  async function named(reply: Reply): Promise<Reply> {
    return { ...reply, model: reply.model || (await log.run(runId))?.model || "unknown" };
  }

  return {
    ids,
    request,
    async perform(send) {
      try {
        return await perform(send);
      } catch (error) {
        return { error: isAborted ? aborted() : toErrorFields(error) };
      } finally {
        clearTimeout(deadline);
      }
    },
    abort() {
      if (isAborted) return;
      isAborted = true;
      if (isStarted) cancel();
    },
    leave: () => left.abort(),
  };
}
