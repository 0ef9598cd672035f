import { noteOf, problem } from "../../../facts.ts";
import { crashed, type Failure, fail, failureOf, interrupted } from "../../../failure.ts";
import { given } from "../../../given.ts";
import type { HostFact } from "../../../host.ts";
import { asNumber, asObject, asText, type Json, type JsonWire } from "../../../json-machine.ts";
import { Waiting } from "../../../json-rpc.ts";
import type { Signal } from "../../../signal.ts";
import { createStderrTail } from "../../../stderr-tail.ts";
import { Calls } from "../calls/index.ts";
import { askOf, isGranted } from "../calls/permission.ts";
import { Hosting } from "../hosting/index.ts";
import type { AcpProfile } from "../profile.ts";
import { History } from "../updates/history.ts";
import { Updates } from "../updates/index.ts";
import { Scope, tagged } from "../updates/scope.ts";
import { usageOf } from "../updates/usage.ts";
import { loginBy, nameless, sessionLost, stopFailure, unknownVersion } from "./failure.ts";
import { asksForSession, opensSession, Sessions, sessionIdIn } from "./open-sessions.ts";

export interface AcpWire extends JsonWire {
  hosted(fact: HostFact): Signal[];
}

/**
 * Reads both directions of one connection. Requests of the two sides count in id spaces of their own, so a message
 * with a method is never taken for an answer. A recording of what the agent wrote alone is read too: then every
 * update is of a prompt.
 */
export function createAcpWire(profile: AcpProfile): AcpWire {
  const history = new History();
  const sessions = new Sessions(history);
  /** Requests that wait for an answer, by id: ours to the agent, the agent's to us. */
  const ours = new Waiting();
  const theirs = new Waiting();
  const main = new Scope(() => sessions.model);
  const calls: Calls = new Calls({
    profile,
    cwd: () => sessions.current?.cwd,
    terminal: (id) => hosting.terminal(id),
  });
  const hosting = new Hosting(calls, main);
  const updates = new Updates({
    profile,
    calls,
    hosting,
    main,
    model: () => sessions.model,
    used: (usage) => {
      isUsageTold = true;
      sessions.current?.costs.used(usage);
    },
  });
  const readStderr = profile.createRetryReader?.();
  const stderr = createStderrTail();
  let login = profile.login ?? "Log in with the agent's own command, then try again.";
  let hasSent = false;
  let hasSpoken = false;
  /** Prompts that run, by the id of their request. */
  const working = new Set<unknown>();
  /** Updates before a prompt are what the session held. */
  let isHistory = false;
  let isCancelling = false;
  let isUsageTold = false;
  /** No session can be opened, which was told. */
  let isDoomed = false;
  /** The client takes questions of the agent's; one that says nothing of itself may. */
  let takesQuestions = true;

  function prompted(id: unknown, params: Json): Signal[] {
    const sessionId = sessionIdIn(params);
    // A prompt to a session that is not open here is no prompt of this run.
    if (id !== undefined && sessions.isStray(sessionId)) return [];
    const session = sessions.prompted(sessionId);
    main.prompted();
    working.add(id);
    isHistory = false;
    isCancelling = false;
    isUsageTold = false;
    isDoomed = false;
    return [...session, { kind: "prompt" }];
  }

  function update(frame: Json): Signal[] | undefined {
    const params = asObject(frame.params);
    const fields = asObject(params?.update);
    if (!fields) return undefined;
    sessions.configured(fields);
    // An update that names no session is of the one there is.
    const { id } = sessions.current ?? {};
    if (id !== undefined && (sessionIdIn(params) ?? id) !== id) return undefined;
    if (fields.sessionUpdate === "usage_update") {
      const cost = sessions.current?.costs.updated(fields, isHistory) ?? [];
      return isHistory || cost.length === 0 ? undefined : [...cost, noteOf(frame)];
    }
    if (isHistory) {
      history.read(fields);
      return undefined;
    }
    if (hasSent) return updates.read(fields);
    if (fields.sessionUpdate === "user_message_chunk") return prompted(undefined, {});
    if (updateKinds.test(asText(fields.sessionUpdate) ?? "")) working.add(undefined);
    return updates.read(fields);
  }

  function requested(frame: Json, method: string): Signal[] | undefined {
    const params = asObject(frame.params) ?? {};
    theirs.add(frame);
    if (method === "session/request_permission") {
      const tool = asObject(params.toolCall) ?? {};
      const scope = updates.scopeOf(tool);
      if (profile.askedApart?.test(asText(tool.toolCallId) ?? "")) return tagged([askOf(frame, undefined)], scope);
      const before = calls.find(asText(tool.toolCallId) ?? "") ? [] : calls.settleRefused(scope);
      const opened = calls.update(tool, "ask", scope) ?? [];
      return tagged([...before, ...opened, askOf(frame, calls.find(asText(tool.toolCallId) ?? ""))], scope);
    }
    if (method === "elicitation/create" && takesQuestions) {
      const context = asText(params.url) ?? JSON.stringify(params.requestedSchema);
      const source = params.toolCallId === undefined ? "agent" : "tool";
      const question = asText(params.message) ?? "";
      return [{ kind: "question", id: `${frame.id}`, question, source, ...given({ context: context || undefined }) }];
    }
    // Told when it is done; the text is not told twice.
    return isWrite(method) ? [] : undefined;
  }

  /** The client's answer to a request of the agent's. */
  function answered(frame: Json): Signal[] {
    const { request, method, params, result = {} } = theirs.take(frame);
    if (!request) return [];
    if (method === "session/request_permission") return decided(frame, params);
    if (frame.error === undefined) return hosting.answered(method, params, result);
    return isWrite(method) ? [noteOf({ method, path: params.path, error: frame.error })] : [];
  }

  function decided(frame: Json, params: Json): Signal[] {
    const call = calls.find(asText(asObject(params.toolCall)?.toolCallId) ?? "");
    const { granted, reason } = isGranted(frame, params);
    if (call && !granted) calls.refuse(call);
    return tagged([{ kind: "answer", id: `${frame.id}`, granted, ...given({ reason }) }], call?.scope ?? main);
  }

  /** The agent's answer to a request of the client's. */
  function responded(frame: Json): Signal[] | undefined {
    const { request, method, params, result = {}, error } = ours.take(frame);
    working.delete(request && frame.id);
    if (error) return failed(error, method, params);
    if (opensSession(method) || (!request && sessionIdIn(result))) {
      const opened = sessions.opened(request, result);
      return [...(opened ?? doom(nameless)), noteOf(frame)];
    }
    if (method === "initialize") return initialized(frame, result);
    if (method === "session/prompt" || (!request && asText(result.stopReason))) return stopped(frame, result);
    sessions.configured(result);
    return undefined;
  }

  function doom(event: Failure): Signal[] {
    isDoomed ||= sessions.current === undefined;
    return [fail(event)];
  }

  function initialized(frame: Json, result: Json): Signal[] {
    login = profile.login ?? loginBy(result.authMethods) ?? login;
    const version = result.protocolVersion ?? 1;
    return [...(version === 1 ? [] : doom(unknownVersion(version))), noteOf(frame)];
  }

  function failed(error: Json, method: string, params: Json): Signal[] | undefined {
    const code = asNumber(error.code);
    const data = asObject(error.data);
    const details = asText(data?.details) ?? asText(error.data);
    const message = [asText(error.message) ?? "The request failed.", ...(details ? [details] : [])].join(": ");
    const event = failureOf(code, message, profile.login ?? loginBy(data?.authMethods) ?? login);
    if (method !== "session/prompt") {
      const isProbe = code === -32601 && sessions.current !== undefined;
      const isFatal = method === "initialize" || method === "authenticate" || (opensSession(method) && !isProbe);
      if (isFatal) return doom(asksForSession(method) ? sessionLost(event, code) : event);
      // Another model than the one asked for is no model to go on with.
      return isHistory && choosesModel.test(method) ? doom(event) : undefined;
    }
    if (sessions.isStray(sessionIdIn(params))) return [problem(message, "SESSION_NOT_FOUND")];
    return done([fail(isCancelling ? interrupted : event)]);
  }

  function stopped(frame: Json, result: Json): Signal[] {
    const stopReason = asText(result.stopReason) ?? "end_turn";
    const quota = asObject(asObject(result._meta)?.quota);
    const usage = isUsageTold ? undefined : (usageOf(result.usage) ?? usageOf(quota?.token_count));
    if (usage) sessions.current?.costs.used(usage);
    const spent = usage ? [usage, ...(sessions.current?.costs.soFar() ?? [])] : [];
    const event = stopFailure(stopReason);
    const ended: Signal[] = [...spent, { kind: "callDone", stopReason }, ...(event ? [fail(event)] : [])];
    return [...done(ended), ...(result._meta ? [noteOf(frame)] : [])];
  }

  function done(signals: Signal[]): Signal[] {
    const before = calls.settleRefused(main);
    calls.clear();
    before.push(...hosting.settle());
    if (signals.some(({ kind }) => kind === "fail")) sessions.current?.costs.endRun();
    return [...before, ...signals, { kind: "promptDone" }];
  }

  return {
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
      ours.add(frame);
      if (method === "initialize") takesQuestions = asObject(capabilitiesIn(frame)?.elicitation) !== undefined;
      if (opensSession(method)) isHistory = true;
      if (method === "session/cancel") isCancelling = true;
      return method === "session/prompt" ? prompted(frame.id, asObject(frame.params) ?? {}) : [];
    },
    stderr(line) {
      stderr.add(line);
      const told = readStderr?.(line) ?? [];
      if (told.length > 0) main.again();
      return [{ kind: "log", source: "stderr", line }, ...told];
    },
    hosted: (fact) => hosting.hosted(fact),
    exit(code, signal) {
      calls.clear();
      const last = [...sessions.unprompted(), ...hosting.settle()];
      // Between prompts an agent may be ended in any way; one that never opened a session should have told why.
      const isWorking = working.size > 0;
      const isIdle = hasSpoken && !isWorking && (sessions.current !== undefined || (code === 0 && !signal));
      if (isIdle || (isDoomed && !isWorking)) return last;
      const isInterrupted = isWorking && (isCancelling || signal === "SIGINT");
      return [...last, fail(isInterrupted ? interrupted : crashed(code, signal, stderr.text()))];
    },
  };
}

const isWrite = (method: string): boolean => method === "fs/write_text_file";

const capabilitiesIn = (frame: Json): Json | undefined => asObject(asObject(frame.params)?.clientCapabilities);

const choosesModel = /^session\/set_(model|config_option)$/;

/** Updates that only come of a prompt. */
const updateKinds = /^(agent_|tool_call|plan)/;
