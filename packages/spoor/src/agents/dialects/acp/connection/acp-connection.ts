import { noteOfFrame, recoverableError } from "../../../kit/fact-signals.ts";
import { type Failure, fail, failureOf, failureOfExit, internalError, interrupted } from "../../../kit/failures.ts";
import { createJsonMachine } from "../../../kit/json-machine.ts";
import { createRpcReader, type RpcResponse } from "../../../kit/json-rpc.ts";
import { asNumber, asObject, asText, asTexts, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import type { Machine } from "../../../machine.ts";
import type { Signal } from "../../../signal.ts";
import type { AcpProfile } from "../acp-profile.ts";
import { decisionOf } from "../calls/acp-permission.ts";
import { usageOf } from "../session/acp-usage.ts";
import { opensSession, Sessions, sessionIdIn } from "../session/open-sessions.ts";
import { createUpdates } from "../updates/acp-updates.ts";
import { loginBy, modelRefused, sessionLost, stopFailure, unknownVersion } from "./acp-failures.ts";

/** Reads one connection. In a recording of the agent's output alone, every update belongs to a prompt. */
export function createAcpMachine(profile: AcpProfile): Machine {
  const sessions = new Sessions();
  const updates = createUpdates(profile, sessions);
  const { main, hosting } = updates;
  /** Reads the history of a loaded session separately: only its turns are counted. */
  const history = createUpdates(profile, new Sessions());
  const rpc = createRpcReader({ notified, requested, answered, sent, responded });
  const readStderr = profile.createRetryReader?.();
  let login = "Log in with the agent's own command, then try again.";
  /** Running prompts, by the id of their request. */
  const working = new Set<unknown>();
  /** Updates before the first prompt are the history of the session. */
  let isHistory = false;
  let isCancelling = false;
  /** Permission was refused and the model has not continued since. Some agents then end the prompt as cancelled. */
  let isRefused = false;
  /** Whether the client accepts questions from the agent. In a recording without the client's side it may. */
  let takesQuestions = true;

  function sent(method: string, params: Json, { id }: Json): Signal[] {
    const capabilities = asObject(params.clientCapabilities);
    if (method === "initialize") takesQuestions = asObject(capabilities?.elicitation) !== undefined;
    if (opensSession(method)) isHistory = true;
    if (method === "session/cancel") isCancelling = true;
    return method === "session/prompt" ? prompted(id, params) : [];
  }

  function prompted(id: unknown, params: Json): Signal[] {
    const sessionId = sessionIdIn(params);
    // A prompt to a session that was not opened here does not belong to this run.
    if (id !== undefined && sessions.isStray(sessionId)) return [];
    main.prompted();
    working.add(id);
    isHistory = false;
    isCancelling = false;
    isRefused = false;
    return [...sessions.prompted(sessionId, params.prompt), { kind: "prompt" }];
  }

  function notified(method: string, params: Json, frame: Json): Signal[] | undefined {
    const fields = asObject(params.update);
    if (method !== "session/update" || !fields) return undefined;
    sessions.configured(fields);
    if (sessions.isOther(sessionIdIn(params))) return undefined;
    const kind = asText(fields.sessionUpdate) ?? "";
    if (kind === "usage_update") {
      const cost = sessions.current?.costs.updated(fields, isHistory) ?? [];
      return cost.length === 0 ? undefined : [...cost, noteOfFrame(frame)];
    }
    if (isHistory) return held(fields);
    if (rpc.isOneSided && kind === "user_message_chunk") return prompted(undefined, {});
    if (rpc.isOneSided && /^(agent_|tool_call|plan)/.test(kind)) working.add(undefined);
    if (/^agent_|^tool_call$/.test(kind)) isRefused = false;
    return updates.read(fields);
  }

  function held(fields: Json): undefined {
    if (fields.sessionUpdate === "user_message_chunk") history.main.prompted();
    const signals = history.read(fields) ?? [];
    sessions.priorTurns += signals.filter(({ kind, child }) => kind === "call" && child === undefined).length;
  }

  function requested(method: string, params: Json, frame: Json): Signal[] | undefined {
    if (method === "session/request_permission") return updates.asked(frame.id, params);
    if (method === "elicitation/create" && takesQuestions) {
      const context = asText(params.url) ?? JSON.stringify(params.requestedSchema);
      const source = params.toolCallId === undefined ? "agent" : "tool";
      const question = asText(params.message) ?? "";
      return [
        { kind: "question", id: `${frame.id}`, question, source, ...omitUndefined({ context: context || undefined }) },
      ];
    }
    // A write is reported when it is done, so that its text is not reported twice. An update counts even if the agent
    // sends it as a request.
    return method === "fs/write_text_file" ? [] : notified(method, params, frame);
  }

  function answered(answer: RpcResponse, { id }: Json): Signal[] {
    const { method, params, error } = answer;
    if (method === "session/request_permission") {
      isRefused = !decisionOf(answer).granted;
      return updates.decided(id, answer);
    }
    if (!error) return hosting.answered(answer);
    return method === "fs/write_text_file" ? [noteOfFrame({ method, path: params.path, error })] : [];
  }

  function responded(answer: RpcResponse, frame: Json): Signal[] | undefined {
    const { request, method, result = {}, error } = answer;
    working.delete(request && frame.id);
    sessions.configured(result);
    if (error) return failed(answer, error);
    if (opensSession(method) || (!request && sessionIdIn(result)))
      return [...sessions.opened(answer), noteOfFrame(frame)];
    if (method === "initialize") return initialized(frame, result);
    if (method === "session/prompt" || (!request && asText(result.stopReason))) return stopped(frame, result);
    return undefined;
  }

  function initialized(frame: Json, { authMethods, protocolVersion: version = 1 }: Json): Signal[] {
    login = loginBy(authMethods) ?? login;
    return [...(version === 1 ? [] : [fail(unknownVersion(version))]), noteOfFrame(frame)];
  }

  function failed({ method, params }: RpcResponse, error: Json): Signal[] | undefined {
    const code = asNumber(error.code);
    const data = asObject(error.data);
    const message = asTexts([error.message, data?.details, error.data]).join(": ") || "The request failed.";
    const event = failureOf(code, message, profile.login ?? loginBy(data?.authMethods) ?? login);
    if (method === "session/prompt") {
      if (sessions.isStray(sessionIdIn(params))) return [recoverableError(message, "SESSION_NOT_FOUND")];
      return done(isCancelling ? interrupted : event);
    }
    // Do not continue with another model than the requested one.
    if (isHistory && choosesModel.test(method)) return [fail(modelRefused(event))];
    const isFatal = /^(initialize|authenticate)$/.test(method);
    if (!opensSession(method)) return isFatal ? [fail(event)] : undefined;
    // If a session is open, the agent may only have tried to open another one.
    if (code === -32601 && sessions.current) return undefined;
    return [fail(method === "session/new" ? event : sessionLost(event, code))];
  }

  function stopped(frame: Json, result: Json): Signal[] {
    const stopReason = asText(result.stopReason) ?? "end_turn";
    const quota = asObject(asObject(result._meta)?.quota);
    const usage = main.hasUsage ? undefined : (usageOf(result.usage) ?? usageOf(quota?.token_count));
    const spent = usage ? [usage, ...(sessions.current?.costs.used(usage) ?? [])] : [];
    const empty = main.hasNoOutput && stopReason === "end_turn" ? profile.emptyPromptError : undefined;
    const isOver = stopReason === "cancelled" && isRefused && !isCancelling;
    const failure =
      (isOver ? undefined : stopFailure(stopReason)) ?? (empty === undefined ? undefined : internalError(empty));
    const ended = done(failure, [...spent, { kind: "callDone", stopReason }]);
    return [...ended, ...(result._meta ? [noteOfFrame(frame)] : [])];
  }

  function done(event: Failure | undefined, reported: Signal[] = []): Signal[] {
    if (event) sessions.current?.costs.endRun();
    return [...hosting.settle(), ...reported, ...(event ? [fail(event)] : []), { kind: "promptDone" }];
  }

  const machine = createJsonMachine({
    ...rpc,
    stderr(line) {
      const reported = readStderr?.(line) ?? [];
      if (reported.length > 0) main.callAgain();
      return [{ kind: "log", source: "stderr", line }, ...reported];
    },
    exit(code, signal, stderr) {
      const last = [...sessions.report(), ...hosting.settle()];
      // Between prompts an agent may exit in any way. An agent that never opened a session should have reported why.
      if (working.size === 0 && (sessions.current || (!rpc.isSilent && code === 0 && !signal))) return last;
      return [...last, fail(isCancelling ? interrupted : failureOfExit(code, signal, stderr))];
    },
  });
  return { ...machine, hosted: hosting.hosted };
}

const choosesModel = /^session\/set_(model|config_option)$/;
