import type { HostFact } from "../../host.ts";
import { asNumber, asObject, asText, type Json, type JsonWire } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import { Calls } from "./calls.ts";
import { type Failure, failureOf, loginBy, nameless, sessionLost, stopFailure, unknownVersion } from "./failure.ts";
import { History } from "./history.ts";
import { Hosting } from "./hosting.ts";
import { askOf, isGranted } from "./permission.ts";
import type { AcpProfile } from "./profile.ts";
import { Scope, tagged } from "./scope.ts";
import { asksForSession, opensSession, Sessions, sessionIdIn } from "./sessions.ts";
import { Updates } from "./updates.ts";
import { usageOf } from "./usage.ts";

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
  const ours = new Map<unknown, Json>();
  const theirs = new Map<unknown, Json>();
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
  let stderr = "";

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
      return isHistory || cost.length === 0 ? undefined : [...cost, note(frame)];
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
    theirs.set(frame.id, frame);
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
      return [{ kind: "question", id: `${frame.id}`, question, source, ...(context && { context }) }];
    }
    // Told when it is done; the text is not told twice.
    return isWrite(method) ? [] : undefined;
  }

  /** The client's answer to a request of the agent's. */
  function answered(frame: Json): Signal[] {
    const request = theirs.get(frame.id);
    if (!request) return [];
    theirs.delete(frame.id);
    const method = asText(request.method) ?? "";
    const params = asObject(request.params) ?? {};
    if (method === "session/request_permission") return decided(frame, request, params);
    if (frame.error === undefined) return hosting.answered(method, params, asObject(frame.result) ?? {});
    return isWrite(method) ? [note({ method, path: params.path, error: frame.error })] : [];
  }

  function decided(frame: Json, request: Json, params: Json): Signal[] {
    const call = calls.find(asText(asObject(params.toolCall)?.toolCallId) ?? "");
    const { granted, reason } = isGranted(frame, params);
    if (call && !granted) calls.refuse(call);
    const answer: Signal = { kind: "answer", id: `${request.id}`, granted, ...(reason && { reason }) };
    return tagged([answer], call?.scope ?? main);
  }

  /** The agent's answer to a request of the client's. */
  function responded(frame: Json): Signal[] | undefined {
    const request = ours.get(frame.id);
    ours.delete(frame.id);
    working.delete(request && frame.id);
    const method = request?.method;
    const params = asObject(request?.params) ?? {};
    const error = asObject(frame.error);
    const result = asObject(frame.result) ?? {};
    if (error) return failed(error, method, params);
    if (opensSession(method) || (!request && sessionIdIn(result))) {
      const opened = sessions.opened(request, result);
      return [...(opened ?? doom(nameless)), note(frame)];
    }
    if (method === "initialize") return initialized(frame, result);
    if (method === "session/prompt" || (!request && asText(result.stopReason))) return stopped(frame, result);
    sessions.configured(result);
    return undefined;
  }

  function doom(event: Failure): Signal[] {
    isDoomed ||= sessions.current === undefined;
    return [{ kind: "fail", event }];
  }

  function initialized(frame: Json, result: Json): Signal[] {
    login = profile.login ?? loginBy(result.authMethods) ?? login;
    const version = result.protocolVersion ?? 1;
    return [...(version === 1 ? [] : doom(unknownVersion(version))), note(frame)];
  }

  function failed(error: Json, method: unknown, params: Json): Signal[] | undefined {
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
      return isHistory && choosesModel.test(`${method}`) ? doom(event) : undefined;
    }
    if (sessions.isStray(sessionIdIn(params))) {
      return [{ kind: "fact", fact: { type: "error", code: "SESSION_NOT_FOUND", message, recoverable: true } }];
    }
    return done([{ kind: "fail", event: isCancelling ? { type: "interrupted" } : event }]);
  }

  function stopped(frame: Json, result: Json): Signal[] {
    const stopReason = asText(result.stopReason) ?? "end_turn";
    const quota = asObject(asObject(result._meta)?.quota);
    const usage = isUsageTold ? undefined : (usageOf(result.usage) ?? usageOf(quota?.token_count));
    if (usage) sessions.current?.costs.used(usage);
    const spent = usage ? [usage, ...(sessions.current?.costs.soFar() ?? [])] : [];
    const event = stopFailure(stopReason);
    const failure: Signal[] = event ? [{ kind: "fail", event }] : [];
    const rest: Signal[] = result._meta ? [note(frame)] : [];
    return done([...spent, { kind: "callDone", stopReason }, ...failure], rest);
  }

  function done(signals: Signal[], rest: Signal[] = []): Signal[] {
    const before = calls.settleRefused(main);
    calls.clear();
    before.push(...hosting.settle());
    if (signals.some(({ kind }) => kind === "fail")) sessions.current?.costs.endRun();
    return [...before, ...signals, { kind: "promptDone" }, ...rest];
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
      if (frame.id !== undefined) ours.set(frame.id, frame);
      if (method === "initialize") takesQuestions = asObject(capabilitiesIn(frame)?.elicitation) !== undefined;
      if (opensSession(method)) isHistory = true;
      if (method === "session/cancel") isCancelling = true;
      return method === "session/prompt" ? prompted(frame.id, asObject(frame.params) ?? {}) : [];
    },
    stderr(line) {
      stderr = `${stderr}${line}\n`.slice(-4_000);
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
      if (isWorking && (isCancelling || signal === "SIGINT")) {
        return [...last, { kind: "fail", event: { type: "interrupted" } }];
      }
      return [...last, { kind: "fail", event: { type: "crash", exitCode: code || -1, stderr } }];
    },
  };
}

const isWrite = (method: string): boolean => method === "fs/write_text_file";

const note = (frame: Json): Signal => ({ kind: "note", message: JSON.stringify(frame) });

const capabilitiesIn = (frame: Json): Json | undefined => asObject(asObject(frame.params)?.clientCapabilities);

const choosesModel = /^session\/set_(model|config_option)$/;

/** Updates that only come of a prompt. */
const updateKinds = /^(agent_|tool_call|plan)/;
