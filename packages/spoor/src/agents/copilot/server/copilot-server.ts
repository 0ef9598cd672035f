import { noteOfFrame, recoverableError } from "../../kit/fact-signals.ts";
import { fail, interrupted } from "../../kit/failures.ts";
import { createJsonMachine, type JsonFrameReader } from "../../kit/json-machine.ts";
import { createRpcReader, type RpcResponse } from "../../kit/json-rpc.ts";
import { asArray, asObject, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Dialect } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { failedExit, sessionFailure } from "../session/copilot-failures.ts";
import { answerOf } from "../session/copilot-permissions.ts";
import { Session } from "../session/copilot-session.ts";

/** `copilot --headless --stdio`: JSON-RPC in both directions. Of Copilot's dialects, only this one loses no events. */
export const server: Dialect = {
  name: "server",
  recognises: (frames) => frames.some(({ value }) => isFrame(asObject(value) ?? {})),
  streams: { text: true, toolCalls: true, thinking: true },
  canAsk: true,
  createMachine: () => createJsonMachine(createServerReader()),
};

/** Method names contain dots where ACP has slashes; the first response has a field that no other protocol has. */
const isFrame = ({ jsonrpc, method, result }: Json): boolean =>
  jsonrpc === "2.0" &&
  (/^(?:connect|(?:sessions?|host|runtime|userInput)\..+)$/.test(asText(method) ?? "") ||
    Array.isArray(asObject(result)?.taskKinds));

function createServerReader(): JsonFrameReader {
  let session = new Session();
  let sessionId: string | undefined;
  const rpc = createRpcReader({ notified, requested, sent, responded });
  /** The original of each copied session. */
  const origins = new Map<string, string>();
  /** A prompt is being worked on. */
  let isActive = false;
  let isInterrupted = false;
  let hasEnded = false;

  function notified(method: string, params: Json): Signal[] | undefined {
    if (method === "session.event") return event(params);
    return isTick(method, params) ? [] : undefined;
  }

  function event(params: Json): Signal[] | undefined {
    const reported = asObject(params.event) ?? {};
    const type = asText(reported.type);
    const id = asText(params.sessionId);
    const opened = open(id, type);
    if (id !== sessionId) return undefined;
    const signals = session.event(reported);
    if (type === "user.message" && reported.agentId === undefined) isActive = true;
    const mode = asObject(reported.data)?.mode;
    // On autopilot Copilot continues by itself until it is stopped.
    const isDone = (type === "session.idle" && mode !== "autopilot") || type === "session.autopilot_stopped";
    if (isDone) return [...opened, ...(signals ?? []), ...done()];
    if (opened.length === 0) return signals;
    return [...opened, ...(signals ?? [noteOfFrame(params)])];
  }

  /** A second session replaces the first when it begins. */
  function open(id: string | undefined, type: string | undefined): Signal[] {
    const resumed = type === "session.resume";
    if (id === undefined || id === sessionId) return [];
    if (sessionId !== undefined && type !== "session.start" && !resumed) return [];
    if (sessionId !== undefined) session = new Session();
    sessionId = id;
    const forkedFrom = origins.get(id);
    return [{ kind: "session", id, ...(forkedFrom === undefined ? { resumed } : { forkedFrom, resumed: false }) }];
  }

  function done(): Signal[] {
    isActive = false;
    isInterrupted = false;
    hasEnded = true;
    return [{ kind: "promptDone" }];
  }

  function requested(method: string, params: Json, { id }: Json): Signal[] | undefined {
    return method === "userInput.request" ? [question(id, params)] : undefined;
  }

  function sent(method: string, params: Json): Signal[] | undefined {
    if (method === "session.abort") isInterrupted = isActive;
    if (method === "session.permissions.handlePendingPermissionRequest") return answerOf(params);
    if (method !== "session.send") return undefined;
    isActive = true;
    return session.asked();
  }

  function responded({ method, params, result, error }: RpcResponse): Signal[] | undefined {
    if (error) return refused(method, error);
    const source = asText(params.sessionId);
    const copy = asText(result?.sessionId);
    if (method === "sessions.fork" && source && copy) origins.set(copy, source);
    return acknowledged.test(method) ? [] : undefined;
  }

  function refused(method: string, error: Json): Signal[] {
    const message = asText(error.message) ?? "The request was refused.";
    if (!essential.test(method)) return [recoverableError(message)];
    const failure = sessionFailure({ message }, { usedTokens: 0, maxTokens: 0 });
    const isLost = failure.type === "error" && /^session\.resume$|fork$/.test(method);
    return [fail(isLost ? { ...failure, code: "SESSION_NOT_FOUND" } : failure), ...done()];
  }

  return {
    ...rpc,
    exit(code, signal, stderr) {
      if (isActive && isInterrupted) return [fail(interrupted)];
      const isIdle = !rpc.isSilent && !isActive;
      return isIdle && (code === 0 || hasEnded) ? [] : [failedExit(code, signal, stderr)];
    },
  };
}

/** The frame says that something changed, but not what. */
const isTick = (method: string, { payload }: Json): boolean =>
  method === "session.lifecycle" || (method === "host.event" && asObject(payload)?.taskJson === null);

/** Responses that add nothing to the request; events report what follows. */
const acknowledged = /^(?:session\.(?:send|abort|detach|permissions\..*)|runtime\..*)$/;

/** Requests without which no prompt can run. */
const essential = /^(?:connect|session\.(?:create|resume|send)|sessions\.fork)$/;

/** The id under which a question of the server is reported and answered. */
export const questionId = (id: unknown): string => `question-${id}`;

function question(id: unknown, { question: text, choices }: Json): Signal {
  const context =
    asArray(choices)
      .map((choice) => `- ${choice}`)
      .join("\n") || undefined;
  return {
    kind: "question",
    id: questionId(id),
    question: asText(text) ?? "",
    source: "agent",
    ...omitUndefined({ context }),
  };
}
