import { noteOfFrame, pluginLoaded } from "../../kit/fact-signals.ts";
import { fail, failureOfExit } from "../../kit/failures.ts";
import type { JsonFrameReader } from "../../kit/json-machine.ts";
import { PendingRequests } from "../../kit/json-rpc.ts";
import { asObject, asText, asTexts, type Json } from "../../kit/json-values.ts";
import { assignToSubagent } from "../../kit/subagent-signals.ts";
import { spawnEndSignal } from "../../kit/tool-calls.ts";
import type { Signal } from "../../signal.ts";
import { Conversation } from "../conversation/openclaw-conversation.ts";
import type { Call } from "../conversation/openclaw-tool-calls.ts";
import { answerOf, askOf, resolvedOf } from "./gateway-approvals.ts";

/**
 * Reads one connection to the gateway: requests, their responses, and events of any session. The run is the session
 * that was prompted. In a recording of the gateway's side alone, it is the first session in which an agent works.
 * Sessions of its subagents are child runs; other sessions become notes.
 */
export function createGatewayReader(): JsonFrameReader {
  const newConversation = () => new Conversation((call, key) => spawned(call, key));
  let main = newConversation();
  const children = new Map<string, { conversation: Conversation; isOpen: boolean }>();
  /** Requests without a response, by id. */
  const requests = new PendingRequests();
  const sessionIds = new Map<string, string>();
  const prompts = new Set<string>();
  const plugins = new Set<string>();
  let mainKey: string | undefined;
  let reportedSession: string | undefined;
  let hasOutput = false;

  function spawned(call: Call, key: string): Signal[] {
    if (children.has(key)) return [];
    children.set(key, { conversation: new Conversation(() => []), isOpen: false });
    const { task, label, agentId } = asObject(call.input) ?? {};
    const name = asText(label) || asText(agentId) || "subagent";
    return [{ kind: "spawn", id: key, name, prompt: asText(task) ?? "", tracked: true }];
  }

  /** Reports the session with its first event, which may show that it had messages before. */
  function openSession(payload: Json): Signal[] {
    const id = asText(payload.sessionId) ?? sessionIds.get(mainKey ?? "");
    if (reportedSession !== undefined || id === undefined) return [];
    reportedSession = id;
    const resumed = typeof payload.messageSeq === "number" && payload.messageSeq > 1;
    return [{ kind: "session", id, ...(resumed && { resumed }) }, ...[...plugins].map((name) => pluginLoaded(name))];
  }

  /** Reads an event of a session with `read`; returns undefined for sessions that do not belong to the run. */
  function inSession(payload: Json, read: (of: Conversation) => Signal[] | undefined): Signal[] | undefined {
    const key = asText(payload.sessionKey) ?? mainKey;
    mainKey ??= key;
    if (key === mainKey) {
      const signals = read(main);
      return signals && [...openSession(payload), ...signals];
    }
    const child = children.get(key ?? "");
    const signals = child && read(child.conversation);
    if (!child || !signals || key === undefined) return undefined;
    const id = asText(payload.sessionId);
    const opened: Signal[] = child.isOpen || !id ? [] : [{ kind: "session", id }];
    child.isOpen ||= id !== undefined;
    return [...assignToSubagent(key, [...opened, ...signals]), ...reportOf(key, signals)];
  }

  function message(payload: Json): Signal[] | undefined {
    const fields = asObject(payload.message) ?? {};
    if (fields.role !== "user") return inSession(payload, (of) => of.message(payload));
    const isOurs = prompts.has((asText(fields.idempotencyKey) ?? "").replace(/:user$/, ""));
    return inSession(payload, () => (isOurs ? [] : [{ kind: "prompt" }]));
  }

  function task(payload: Json): Signal[] | undefined {
    const fields = asObject(payload.task) ?? {};
    const key = asText(fields.childSessionKey);
    if (fields.kind !== "subagent" || !key || (asText(fields.sessionKey) ?? mainKey) !== mainKey) return undefined;
    const call = main.calls.lastOf("sessions_spawn");
    if (!children.has(key) && call) return [...spawned(call, key), noteOfFrame(payload)];
    const summary = asText(fields.progressSummary) ?? "";
    if (fields.status === "completed") return [{ kind: "spawnEnd", id: key, summary }, noteOfFrame(payload)];
    const isOver = /^(failed|cancelled|timed_out|lost)$/.test(asText(fields.status) ?? "");
    return isOver
      ? [{ kind: "spawnEnd", id: key, error: summary || `${fields.status}` }, noteOfFrame(payload)]
      : undefined;
  }

  function approval(event: string, payload: Json): Signal[] | undefined {
    const isAsked = event === "session.approval" ? payload.phase === "pending" : event.endsWith(".requested");
    return isAsked ? askOf(payload, (id) => main.calls.find(id)) : resolvedOf(payload);
  }

  function answered(frame: Json): Signal[] | undefined {
    const { method, params, error } = requests.take(frame);
    const payload = asObject(frame.payload) ?? {};
    const [key, sessionId] = [asText(payload.key), asText(payload.sessionId)];
    if (frame.ok === true && key && sessionId) sessionIds.set(key, sessionId);
    if (frame.ok !== false || !isPrompt(method)) return undefined;
    const why = [asText(error?.code), asText(error?.message)].filter(Boolean).join(": ") || "The prompt was refused.";
    return [...openSession({}), ...main.refuse(asText(params.idempotencyKey) ?? "", why)];
  }

  return {
    frame(frame) {
      hasOutput = true;
      if (frame.type === "res") return answered(frame);
      const payload = asObject(frame.payload);
      if (frame.type !== "event" || !payload) return undefined;
      const event = asText(frame.event) ?? "";
      if (event === "agent") return inSession(payload, (of) => of.agent(payload));
      if (event === "chat") return inSession(payload, (of) => of.chat(payload));
      if (event === "session.message") return message(payload);
      if (event === "task") return task(payload);
      if (/^(exec|plugin|session)\.approval/.test(event)) return approval(event, payload);
      if (event === "health") for (const name of loadedIn(payload)) plugins.add(name);
      return undefined;
    },
    sent(frame) {
      if (frame.type !== "req") return [];
      requests.add(frame);
      const params = asObject(frame.params) ?? {};
      if (/^(exec|plugin)\.approval\.resolve$/.test(`${frame.method}`)) return answerOf(params);
      if (!isPrompt(frame.method)) return [];
      const [key, runId] = [asText(params.sessionKey) ?? asText(params.key), asText(params.idempotencyKey) ?? ""];
      if (key !== undefined && mainKey !== undefined && key !== mainKey) {
        // Another session is another run. Only one run is read at a time.
        if (main.working.size > 0 || children.has(key)) return [];
        main = newConversation();
        reportedSession = undefined;
      }
      mainKey = key ?? mainKey;
      prompts.add(runId);
      main.begin(runId);
      return [{ kind: "prompt" }];
    },
    exit(code, signal, stderr) {
      // Between prompts the connection may end in any way.
      if (hasOutput && main.working.size === 0) return openSession({});
      const opened = signal === "SIGINT" ? [] : openSession({});
      return [...opened, fail(failureOfExit(code, signal, stderr))];
    },
  };
}

/** The end of a subagent, as reported to its parent. */
function reportOf(id: string, signals: readonly Signal[]): Signal[] {
  const done = signals.find((signal) => signal.kind === "promptDone");
  if (!done) return [];
  const failure = signals.find((signal) => signal.kind === "fail")?.event;
  const error = failure && ("message" in failure ? failure.message : failure.type);
  return [spawnEndSignal(id, done.text ?? "", error)];
}

const isPrompt = (method: unknown): boolean => method === "chat.send" || method === "sessions.send";

const loadedIn = (payload: Json): readonly string[] => asTexts(asObject(payload.plugins)?.loaded);
