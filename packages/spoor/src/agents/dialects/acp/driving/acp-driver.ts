import type { HostOutcome, HostRequest } from "../../../host.ts";
import { RpcRequester } from "../../../kit/json-rpc.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../../../kit/json-values.ts";
import { lookUp } from "../../../kit/look-up.ts";
import type { Answer, Driver, LaunchRequest } from "../../../machine.ts";
import { sessionIdIn } from "../session/open-sessions.ts";
import { Grants } from "./grants.ts";
import { actionOf, resultOf } from "./host-requests.ts";
import { cancelled, outcomeOf } from "./permission-outcome.ts";
import { contentOf } from "./prompt-content.ts";
import { opening } from "./session-request.ts";

/** How the driver behaves towards one agent. */
export interface AcpDriverTraits {
  /** The agent reads and writes files and runs commands through us. Absent: it does so itself. */
  hostsActions?: true;
  /** The login method that the driver must select first, if the agent offers it. */
  authenticate?: string;
  /**
   * The agent exits once its input is closed, and stores its session then. Few agents do; the others are terminated.
   */
  endsWithInput?: true;
  /** Replies to the agent's own extension methods, for which it waits. */
  replies?: Readonly<Record<string, object>>;
}

/** The ids of the handshake's requests, in their order: each leads to the next. Prompts use the ids after these. */
const ids = { initialize: 0, authenticate: 1, session: 2, model: 3, prompts: 4 };

export function createDriver(request: LaunchRequest, serving: AcpDriverTraits): Driver {
  const { hostsActions, authenticate, replies = {}, endsWithInput = false } = serving;
  const { prompt, cwd, approve } = request;
  const asking = new RpcRequester({ first: ids.prompts });
  let sessionId: string | undefined;
  let capabilities: Json = {};
  let isCancelling = false;
  const wanted: HostRequest[] = [];
  /** Questions of the agent that are not answered yet. */
  const asked = new Map<string, Json>();
  const grants = new Grants(cwd);

  const give = (text: string, attachments = request.attachments): string[] => {
    isCancelling = false;
    return [asking.request("session/prompt", { sessionId, prompt: contentOf(text, attachments, capabilities) })];
  };

  function initialized(result: Json): string[] {
    if ((result.protocolVersion ?? 1) !== 1) return asking.giveUp();
    capabilities = asObject(result.agentCapabilities) ?? {};
    const isOffered = authenticate !== undefined && asObjects(result.authMethods).some(({ id }) => id === authenticate);
    if (!isOffered) return openSession();
    return [asking.request("authenticate", { methodId: authenticate }, openSession, ids.authenticate)];
  }

  function openSession(): string[] {
    const { method, params } = opening(request, capabilities);
    return [asking.request(method, params, opened, ids.session)];
  }

  function opened(result: Json): string[] {
    sessionId = sessionIdIn(result) ?? request.resume;
    if (sessionId === undefined) return asking.giveUp();
    const chosen = modelRequest(request.model, result);
    if (!chosen) return give(prompt);
    return [asking.request(chosen.method, { sessionId, ...chosen.params }, () => give(prompt), ids.model)];
  }

  /** No frame follows the response to a prompt. */
  function responded(frame: Json): string[] {
    const frames = asking.handleResponse(frame);
    if (!frames) isCancelling = false;
    return frames ?? [];
  }

  /** Every request needs a response, or the agent waits for ever. */
  function requested(frame: Json, method: string): string[] {
    const params = asObject(frame.params) ?? {};
    if (method === "session/request_permission") return permissionAsked(frame);
    const action = hostsActions && actionOf(method, params);
    if (action === "invalid") {
      return [asking.refuse(frame.id, -32602, `${method}: a parameter is missing or invalid.`)];
    }
    if (action) {
      const reply = (outcome: HostOutcome) => [asking.frame({ id: frame.id, ...resultOf(action, outcome) })];
      wanted.push({ action, isPermitted: grants.cover(action), reply });
      return [];
    }
    const result = lookUp(replies, method);
    if (!result) return [asking.refuse(frame.id, -32601, `${method} is not supported by this client.`)];
    return [asking.frame({ id: frame.id, result })];
  }

  function permissionAsked(frame: Json): string[] {
    if (isCancelling) return [asking.frame({ id: frame.id, result: cancelled })];
    if (approve !== "ask") return [decide(frame, { granted: approve === "auto" })];
    grants.asked(frame);
    asked.set(String(frame.id), frame);
    return [];
  }

  function decide(question: Json, answer: Answer): string {
    if (answer.granted) grants.granted(question);
    return asking.frame({ id: question.id, result: { outcome: outcomeOf(question, answer) } });
  }

  function notified(method: string, params: Json): string[] {
    if (method === "session/update") grants.see(asObject(params.update) ?? {});
    const withdrawn = method === "$/cancel_request" ? String(params.requestId) : "";
    return asked.delete(withdrawn) ? [asking.refuse(params.requestId, -32800, "Request cancelled")] : [];
  }

  return {
    endsWithInput,
    get hasGivenUp() {
      return asking.hasGivenUp;
    },
    open() {
      const params = { protocolVersion: 1, clientCapabilities: offers(hostsActions), clientInfo };
      return [asking.request("initialize", params, initialized, ids.initialize)];
    },
    receive(line) {
      const frame = parseObject(line);
      if (!frame) return [];
      const method = asText(frame.method);
      if (method === undefined) return responded(frame);
      return frame.id === undefined ? notified(method, asObject(frame.params) ?? {}) : requested(frame, method);
    },
    requests: () => wanted.splice(0),
    follow: (text) => give(text, []),
    answer(id, answer) {
      const question = asked.get(id);
      asked.delete(id);
      return question ? [decide(question, answer)] : [];
    },
    /** Without a session, only the process can be ended. */
    interrupt() {
      if (sessionId === undefined) return [];
      isCancelling = true;
      const questions = [...asked.values()];
      asked.clear();
      return [
        asking.frame({ method: "session/cancel", params: { sessionId } }),
        ...questions.map(({ id }) => asking.frame({ id, result: cancelled })),
      ];
    },
  };
}

const clientInfo = { name: "spoor", title: "Spoor", version: "0" };

/** The client accepts warnings and compactions apart from the model's messages. */
const offers = (hostsActions = false) => ({
  ...{ fs: { readTextFile: hostsActions, writeTextFile: hostsActions }, terminal: hostsActions },
  session: { notices: {}, compaction: {} },
});

/** Chooses the model with a session option if there is one, or else with the method of older agents. */
function modelRequest(model: string | undefined, session: Json): { method: string; params: object } | undefined {
  if (model === undefined) return undefined;
  const option = asObjects(session.configOptions).find(({ category }) => category === "model");
  if (option) return { method: "session/set_config_option", params: { configId: option.id, value: model } };
  return { method: "session/set_model", params: { modelId: model } };
}
