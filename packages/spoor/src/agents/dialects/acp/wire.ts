import { asArray, asNumber, asObject, asText, type Json, type JsonWire } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import { Calls, writtenFile } from "./calls.ts";
import { failureOf } from "./failure.ts";
import { askOf, isGranted } from "./permission.ts";
import type { AcpProfile } from "./profile.ts";
import { Scope } from "./scope.ts";
import { opensSession, Sessions } from "./sessions.ts";
import { Terminals } from "./terminals.ts";
import { tagged, Updates } from "./updates.ts";
import { usageOf } from "./usage.ts";

/**
 * Reads both directions of one connection. Requests of the two sides count in id spaces of their own, so a message
 * with a method is never taken for an answer. A recording of what the agent wrote alone is read too: then every
 * update is of a prompt.
 */
export function createAcpWire(profile: AcpProfile): JsonWire {
  const sessions = new Sessions();
  /** Requests that wait for an answer, by id: ours to the agent, the agent's to us. */
  const ours = new Map<unknown, Json>();
  const theirs = new Map<unknown, Json>();
  const main = new Scope(() => sessions.model);
  const calls: Calls = new Calls({
    profile,
    cwd: () => sessions.current?.cwd,
    terminal: (id) => terminals.find(id),
  });
  const terminals = new Terminals(calls);
  const updates = new Updates({
    profile,
    calls,
    main,
    model: () => sessions.model,
    used: (usage) => {
      isUsageTold = true;
      sessions.current?.costs.used(usage);
    },
  });
  /** Texts of files the client read for the agent. */
  const texts = new Map<string, string>();
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
  let stderr = "";

  function prompted(id: unknown, params: Json): Signal[] {
    const sessionId = asText(params.sessionId);
    // A prompt to a session that is not open here is no prompt of this run.
    if (id !== undefined && sessions.isStray(sessionId)) return [];
    const session = sessions.prompted(sessionId);
    main.prompted();
    working.add(id);
    isHistory = false;
    isCancelling = false;
    isUsageTold = false;
    return [...session, { kind: "prompt" }];
  }

  function update(frame: Json): Signal[] | undefined {
    const params = asObject(frame.params);
    const fields = asObject(params?.update);
    if (!fields) return undefined;
    sessions.configured(fields);
    const isOther = sessions.current && asText(params?.sessionId) !== sessions.current.id;
    if (isOther) return undefined;
    if (fields.sessionUpdate === "usage_update") {
      const cost = sessions.current?.costs.updated(fields, isHistory) ?? [];
      return isHistory || cost.length === 0 ? undefined : [...cost, note(frame)];
    }
    if (isHistory) return undefined;
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
      const before = calls.find(asText(tool.toolCallId) ?? "") ? [] : calls.settleRefused(scope);
      const opened = calls.update(tool, "ask", scope) ?? [];
      return tagged([...before, ...opened, askOf(frame, calls.find(asText(tool.toolCallId) ?? ""))], scope);
    }
    if (method === "elicitation/create") {
      const context = asText(params.url) ?? JSON.stringify(params.requestedSchema);
      const source = params.toolCallId === undefined ? "agent" : "tool";
      const question = asText(params.message) ?? "";
      return [{ kind: "question", id: `${frame.id}`, question, source, ...(context && { context }) }];
    }
    return undefined;
  }

  /** The client's answer to a request of the agent's. */
  function answered(frame: Json): Signal[] {
    const request = theirs.get(frame.id);
    if (!request) return [];
    theirs.delete(frame.id);
    const method = asText(request.method) ?? "";
    const params = asObject(request.params) ?? {};
    const result = asObject(frame.result) ?? {};
    const path = asText(params.path) ?? "";
    if (method === "session/request_permission") return decided(frame, request, params);
    if (frame.error !== undefined) return [];
    if (method.startsWith("terminal/")) return terminals.answered(method, params, result);
    const isWhole = params.line == null && params.limit == null;
    if (method === "fs/read_text_file" && isWhole) texts.set(path, asText(result.content) ?? "");
    if (method === "fs/write_text_file") {
      const text = asText(params.content) ?? "";
      calls.latest?.written.push(writtenFile(path, text, texts.get(path)));
      texts.set(path, text);
    }
    return [];
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
    if (opensSession(method) || (!request && asText(result.sessionId))) {
      return [...sessions.opened(request, result), note(frame)];
    }
    if (method === "initialize") login = profile.login ?? loginBy(result.authMethods) ?? login;
    if (method === "session/prompt" || (!request && asText(result.stopReason))) return stopped(frame, result);
    sessions.configured(result);
    return undefined;
  }

  function failed(error: Json, method: unknown, params: Json): Signal[] | undefined {
    const code = asNumber(error.code);
    const data = asObject(error.data);
    const details = asText(data?.details) ?? asText(error.data);
    const message = [asText(error.message) ?? "The request failed.", ...(details ? [details] : [])].join(": ");
    const event = failureOf(code, message, profile.login ?? loginBy(data?.authMethods) ?? login);
    if (method !== "session/prompt") {
      const isFatal = method === "initialize" || method === "authenticate" || (opensSession(method) && code !== -32601);
      return isFatal ? [{ kind: "fail", event }] : undefined;
    }
    if (sessions.isStray(asText(params.sessionId))) {
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
    const event = stops[stopReason];
    const failure: Signal[] = event ? [{ kind: "fail", event }] : [];
    const rest: Signal[] = result._meta ? [note(frame)] : [];
    return done([...spent, { kind: "callDone", stopReason }, ...failure], rest);
  }

  function done(signals: Signal[], rest: Signal[] = []): Signal[] {
    const before = calls.settleRefused(main);
    calls.clear();
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
    exit(code, signal) {
      // Between prompts an agent may be ended in any way; one that never opened a session should have told why.
      const isWorking = working.size > 0;
      const isIdle = hasSpoken && !isWorking && (sessions.current !== undefined || (code === 0 && !signal));
      if (isIdle) return [];
      if (isWorking && (isCancelling || signal === "SIGINT")) return [{ kind: "fail", event: { type: "interrupted" } }];
      return [{ kind: "fail", event: { type: "crash", exitCode: code || -1, stderr } }];
    },
  };
}

const note = (frame: Json): Signal => ({ kind: "note", message: JSON.stringify(frame) });

/** Updates that only come of a prompt. */
const updateKinds = /^(agent_|tool_call|plan)/;

/** What ends a prompt other than the model's own end. */
const stops: Readonly<Record<string, Extract<Signal, { kind: "fail" }>["event"]>> = {
  cancelled: { type: "interrupted" },
  max_turn_requests: { type: "turn_limit", maxTurns: 0 },
  refusal: { type: "error", code: "INTERNAL", message: "The model refused to answer.", recoverable: false },
};

function loginBy(methods: unknown): string | undefined {
  const names = asArray(methods).flatMap((method) => asText(asObject(method)?.name) ?? []);
  return names.length > 0 ? `Log in to the agent first. It offers: ${names.join(", ")}.` : undefined;
}
