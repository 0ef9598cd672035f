import type { HostRequest } from "../../../host.ts";
import { asArray, asNumber, asObject, asText, type Json, parseObject } from "../../../json-machine.ts";
import type { Answer, Driver, LaunchRequest } from "../../../machine.ts";
import { cancelled, outcomeOf } from "../permission.ts";
import { sessionIdIn } from "../sessions.ts";
import { Grants } from "./grants.ts";
import { actionOf, resultOf } from "./host-requests.ts";
import { opening } from "./opening.ts";
import { contentOf } from "./prompt-content.ts";

/** What we do for one agent. */
export interface Serving {
  /** It may read and write files, and run commands, through us. Left out, it does so itself. */
  serves?: true;
  /** The way to log in that it must be told to take first, where it offers it. */
  authenticate?: string;
  /** Answers to requests of its own making, which it waits for. */
  replies?: Readonly<Record<string, object>>;
}

/** Ids of our own requests, in the order of the handshake. Prompts count on from here. */
const INITIALIZE = 0;
const AUTHENTICATE = 1;
const SESSION = 2;
const MODEL = 3;

export function createDriver(request: LaunchRequest, { serves, authenticate, replies = {} }: Serving): Driver {
  const { prompt, cwd, approve } = request;
  let next = MODEL;
  let sessionId: string | undefined;
  let capabilities: Json = {};
  let hasGivenUp = false;
  let isCancelling = false;
  const wanted: HostRequest[] = [];
  /** Questions of the agent's that wait for an answer. */
  const asked = new Map<string, Json>();
  const grants = new Grants(cwd);

  const call = (method: string, params: object, id = ++next): string => message({ id, method, params });
  const promptFrame = (text: string, attachments = request.attachments): string => {
    isCancelling = false;
    return call("session/prompt", { sessionId, prompt: contentOf(text, attachments, capabilities) });
  };
  const openSession = (): string[] => {
    const { method, params } = opening(request, capabilities);
    return [call(method, params, SESSION)];
  };

  /** Answers to the handshake's requests, by their ids; each leads to the next one. */
  const steps: Readonly<Record<number, (result: Json) => string[]>> = {
    [INITIALIZE]: (result) => {
      if ((result.protocolVersion ?? 1) !== 1) return giveUp();
      capabilities = asObject(result.agentCapabilities) ?? {};
      const offered = asArray(result.authMethods).some((method) => asObject(method)?.id === authenticate);
      return offered ? [call("authenticate", { methodId: authenticate }, AUTHENTICATE)] : openSession();
    },
    [AUTHENTICATE]: openSession,
    [SESSION]: (result) => {
      sessionId = sessionIdIn(result) ?? request.resume;
      if (sessionId === undefined) return giveUp();
      const chosen = modelRequest(request.model, result);
      return chosen ? [call(chosen.method, { sessionId, ...chosen.params }, MODEL)] : [promptFrame(prompt)];
    },
    [MODEL]: () => [promptFrame(prompt)],
  };

  function giveUp(): string[] {
    hasGivenUp = true;
    return [];
  }

  function responded(frame: Json): string[] {
    const id = asNumber(frame.id) ?? -1;
    const step = steps[id];
    if (!step) {
      isCancelling = false;
      return [];
    }
    return frame.error === undefined ? step(asObject(frame.result) ?? {}) : giveUp();
  }

  /** A request must be answered, or the agent waits for ever. */
  function requested(frame: Json, method: string): string[] {
    const params = asObject(frame.params) ?? {};
    if (method === "session/request_permission") return permissionAsked(frame);
    const action = serves && actionOf(method, params);
    if (action === "invalid") return [failed(frame.id, -32602, `${method} lacks a parameter, or has a wrong one.`)];
    if (action) {
      const isPermitted = grants.cover(action);
      wanted.push({
        action,
        isPermitted,
        reply: (outcome) => [message({ id: frame.id, ...resultOf(action, outcome) })],
      });
      return [];
    }
    const reply = Object.hasOwn(replies, method) && replies[method];
    return [reply ? message({ id: frame.id, result: reply }) : failed(frame.id, -32601, `${method} is not offered.`)];
  }

  function permissionAsked(frame: Json): string[] {
    if (isCancelling) return [message({ id: frame.id, result: cancelled })];
    if (approve !== "ask") return [decide(frame, { granted: approve === "auto" })];
    grants.asked(frame);
    asked.set(String(frame.id), frame);
    return [];
  }

  function decide(question: Json, answer: Answer): string {
    if (answer.granted) grants.granted(question);
    return message({ id: question.id, result: { outcome: outcomeOf(question, answer) } });
  }

  function notified(method: string, params: Json): string[] {
    if (method === "session/update") grants.see(asObject(params.update) ?? {});
    const withdrawn = method === "$/cancel_request" ? String(params.requestId) : "";
    return asked.delete(withdrawn) ? [failed(params.requestId, -32800, "Request cancelled")] : [];
  }

  return {
    // Few agents end with their input, so none is relied on to.
    endsWithInput: false,
    get hasGivenUp() {
      return hasGivenUp;
    },
    open: () => [
      call("initialize", { protocolVersion: 1, clientCapabilities: offers(serves), clientInfo }, INITIALIZE),
    ],
    receive(line) {
      const frame = parseObject(line);
      if (!frame) return [];
      const method = asText(frame.method);
      if (method === undefined) return responded(frame);
      return frame.id === undefined ? notified(method, asObject(frame.params) ?? {}) : requested(frame, method);
    },
    requests: () => wanted.splice(0),
    follow: (text) => [promptFrame(text, [])],
    answer(id, answer) {
      const question = asked.get(id);
      asked.delete(id);
      return question ? [decide(question, answer)] : [];
    },
    /** Without a session there is nothing to cancel but the process. */
    interrupt() {
      if (sessionId === undefined) return [];
      isCancelling = true;
      const questions = [...asked.values()];
      asked.clear();
      return [
        message({ method: "session/cancel", params: { sessionId } }),
        ...questions.map(({ id }) => message({ id, result: cancelled })),
      ];
    },
  };
}

const message = (fields: object): string => JSON.stringify({ jsonrpc: "2.0", ...fields });

const failed = (id: unknown, code: number, text: string): string => message({ id, error: { code, message: text } });

const clientInfo = { name: "spoor", title: "Spoor", version: "0" };

const offers = (serves = false) => ({ fs: { readTextFile: serves, writeTextFile: serves }, terminal: serves });

/** How to choose the model: as an option where the session has one, else as agents had it before options. */
function modelRequest(model: string | undefined, session: Json): { method: string; params: object } | undefined {
  if (model === undefined) return undefined;
  const options = asArray(session.configOptions).map((option) => asObject(option) ?? {});
  const option = options.find(({ category }) => category === "model");
  if (option) return { method: "session/set_config_option", params: { configId: option.id, value: model } };
  return { method: "session/set_model", params: { modelId: model } };
}
