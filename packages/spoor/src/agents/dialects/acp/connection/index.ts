import { noteOf, problem } from "../../../facts.ts";
import { crashed, type Failure, fail, failureOf, interrupted } from "../../../failure.ts";
import { given } from "../../../given.ts";
import { asNumber, asObject, asText, createJsonMachine, type Json } from "../../../json-machine.ts";
import { type Answered, Waiting } from "../../../json-rpc.ts";
import type { Machine } from "../../../machine.ts";
import type { Signal } from "../../../signal.ts";
import type { AcpProfile } from "../profile.ts";
import { createUpdates } from "../updates/index.ts";
import { usageOf } from "../updates/usage.ts";
import { loginBy, nameless, sessionLost, stopFailure, unknownVersion } from "./failure.ts";
import { opensSession, Sessions, sessionIdIn } from "./open-sessions.ts";

/**
 * Reads both directions of one connection. Requests of the two sides count in id spaces of their own, so a message
 * with a method is never taken for an answer. A recording of what the agent wrote alone is read too: then every
 * update is of a prompt.
 */
export function createAcpMachine(profile: AcpProfile): Machine {
  const sessions = new Sessions();
  const updates = createUpdates(profile, sessions);
  const { main, hosting } = updates;
  /** What a session held that was loaded, read by itself: only its turns count. */
  const history = createUpdates(profile, new Sessions());
  /** Requests that wait for an answer, by id: ours to the agent, the agent's to us. */
  const ours = new Waiting();
  const theirs = new Waiting();
  const readStderr = profile.createRetryReader?.();
  let login = "Log in with the agent's own command, then try again.";
  let hasSent = false;
  let hasSpoken = false;
  /** Prompts that run, by the id of their request. */
  const working = new Set<unknown>();
  /** Updates before a prompt are what the session held. */
  let isHistory = false;
  let isCancelling = false;
  /** No session can be opened, which was told. */
  let isDoomed = false;
  /** The client takes questions of the agent's; one that says nothing of itself may. */
  let takesQuestions = true;

  function prompted(id: unknown, params: Json): Signal[] {
    const sessionId = sessionIdIn(params);
    // A prompt to a session that is not open here is no prompt of this run.
    if (id !== undefined && sessions.isStray(sessionId)) return [];
    main.prompted();
    working.add(id);
    isHistory = false;
    isCancelling = false;
    isDoomed = false;
    return [...sessions.prompted(sessionId), { kind: "prompt" }];
  }

  function update(frame: Json): Signal[] | undefined {
    const params = asObject(frame.params);
    const fields = asObject(params?.update);
    if (!fields) return undefined;
    sessions.configured(fields);
    if (sessions.isOther(sessionIdIn(params))) return undefined;
    const kind = asText(fields.sessionUpdate) ?? "";
    if (kind === "usage_update") {
      const cost = sessions.current?.costs.updated(fields, isHistory) ?? [];
      return cost.length === 0 ? undefined : [...cost, noteOf(frame)];
    }
    if (isHistory) return held(fields);
    if (!hasSent && kind === "user_message_chunk") return prompted(undefined, {});
    if (!hasSent && /^(agent_|tool_call|plan)/.test(kind)) working.add(undefined);
    return updates.read(fields);
  }

  function held(fields: Json): undefined {
    if (fields.sessionUpdate === "user_message_chunk") history.main.prompted();
    const signals = history.read(fields) ?? [];
    sessions.priorTurns += signals.filter(({ kind, child }) => kind === "call" && child === undefined).length;
  }

  function requested(frame: Json, method: string): Signal[] | undefined {
    const params = asObject(frame.params) ?? {};
    theirs.add(frame);
    if (method === "session/request_permission") return updates.asked(frame.id, params);
    if (method === "elicitation/create" && takesQuestions) {
      const context = asText(params.url) ?? JSON.stringify(params.requestedSchema);
      const source = params.toolCallId === undefined ? "agent" : "tool";
      const question = asText(params.message) ?? "";
      return [{ kind: "question", id: `${frame.id}`, question, source, ...given({ context: context || undefined }) }];
    }
    // Told when it is done; the text is not told twice.
    return method === "fs/write_text_file" ? [] : undefined;
  }

  /** The client's answer to a request of the agent's. */
  function answered(frame: Json): Signal[] {
    const answer = theirs.take(frame);
    const { method, params, error } = answer;
    if (method === "session/request_permission") return updates.decided(frame.id, answer);
    if (!error) return hosting.answered(answer);
    return method === "fs/write_text_file" ? [noteOf({ method, path: params.path, error })] : [];
  }

  /** The agent's answer to a request of the client's. */
  function responded(frame: Json): Signal[] | undefined {
    const answer = ours.take(frame);
    const { request, method, result = {}, error } = answer;
    working.delete(request && frame.id);
    if (error) return failed(answer, error);
    if (opensSession(method) || (!request && sessionIdIn(result))) {
      return [...(sessions.opened(answer) ?? doom(nameless)), noteOf(frame)];
    }
    if (method === "initialize") return initialized(frame, result);
    if (method === "session/prompt" || (!request && asText(result.stopReason))) return stopped(frame, result);
    sessions.configured(result);
    return undefined;
  }

  function doom(event: Failure): Signal[] {
    isDoomed = true;
    return [fail(event)];
  }

  function initialized(frame: Json, { authMethods, protocolVersion: version = 1 }: Json): Signal[] {
    login = loginBy(authMethods) ?? login;
    return [...(version === 1 ? [] : doom(unknownVersion(version))), noteOf(frame)];
  }

  function failed({ method, params }: Answered, error: Json): Signal[] | undefined {
    const code = asNumber(error.code);
    const data = asObject(error.data);
    const details = asText(data?.details) || asText(error.data);
    const message = [asText(error.message) ?? "The request failed.", ...(details ? [details] : [])].join(": ");
    const event = failureOf(code, message, profile.login ?? loginBy(data?.authMethods) ?? login);
    if (method === "session/prompt") {
      if (sessions.isStray(sessionIdIn(params))) return [problem(message, "SESSION_NOT_FOUND")];
      return done([fail(isCancelling ? interrupted : event)]);
    }
    // Another model than the one asked for is no model to go on with.
    const isFatal = /^(initialize|authenticate)$/.test(method) || (isHistory && choosesModel.test(method));
    if (!opensSession(method)) return isFatal ? doom(event) : undefined;
    // With a session there, one more may only have been tried.
    if (code === -32601 && sessions.current) return undefined;
    return doom(method === "session/new" ? event : sessionLost(event, code));
  }

  function stopped(frame: Json, result: Json): Signal[] {
    const stopReason = asText(result.stopReason) ?? "end_turn";
    const quota = asObject(asObject(result._meta)?.quota);
    const usage = main.hasUsage ? undefined : (usageOf(result.usage) ?? usageOf(quota?.token_count));
    const spent = usage ? [usage, ...(sessions.current?.costs.used(usage) ?? [])] : [];
    const event = stopFailure(stopReason);
    const ended: Signal[] = [...spent, { kind: "callDone", stopReason }, ...(event ? [fail(event)] : [])];
    return [...done(ended), ...(result._meta ? [noteOf(frame)] : [])];
  }

  function done(signals: Signal[]): Signal[] {
    if (signals.some(({ kind }) => kind === "fail")) sessions.current?.costs.endRun();
    return [...hosting.settle(), ...signals, { kind: "promptDone" }];
  }

  const machine = createJsonMachine({
    frame(frame) {
      hasSpoken = true;
      const method = asText(frame.method);
      if (method === "session/update") return update(frame);
      if (method !== undefined) return frame.id === undefined ? undefined : requested(frame, method);
      return frame.jsonrpc === undefined ? undefined : responded(frame);
    },
    sent(frame) {
      hasSent = true;
      const method = asText(frame.method);
      if (method === undefined) return answered(frame);
      const params = asObject(frame.params) ?? {};
      const { elicitation } = asObject(params.clientCapabilities) ?? {};
      ours.add(frame);
      if (method === "initialize") takesQuestions = asObject(elicitation) !== undefined;
      if (opensSession(method)) isHistory = true;
      if (method === "session/cancel") isCancelling = true;
      return method === "session/prompt" ? prompted(frame.id, params) : [];
    },
    stderr(line) {
      const told = readStderr?.(line) ?? [];
      if (told.length > 0) main.again();
      return [{ kind: "log", source: "stderr", line }, ...told];
    },
    exit(code, signal, stderr) {
      const last = [...sessions.tell(), ...hosting.settle()];
      // Between prompts an agent may be ended in any way; one that never opened a session should have told why.
      const isWorking = working.size > 0;
      if (!isWorking && (sessions.current || isDoomed || (hasSpoken && code === 0 && !signal))) return last;
      const isInterrupted = isWorking && (isCancelling || signal === "SIGINT");
      return [...last, fail(isInterrupted ? interrupted : crashed(code, signal, stderr))];
    },
  });
  return { ...machine, hosted: hosting.hosted };
}

const choosesModel = /^session\/set_(model|config_option)$/;
