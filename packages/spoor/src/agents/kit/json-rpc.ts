import type { Signal } from "../signal.ts";
import { asObject, asText, type Json } from "./json-values.ts";

export interface RpcResponse {
  request: Json | undefined;
  /** Of the request. */
  method: string;
  params: Json;
  /** Of the answer. */
  result: Json | undefined;
  error: Json | undefined;
}

/** Requests that wait for an answer, by id. */
export class PendingRequests {
  readonly #requests = new Map<unknown, Json>();

  add(frame: Json): void {
    if (frame.id !== undefined) this.#requests.set(frame.id, frame);
  }

  /** An answer, and the request that it is to, if that was seen. */
  take({ id, result, error }: Json): RpcResponse {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    return {
      request,
      method: asText(request?.method) ?? "",
      params: asObject(request?.params) ?? {},
      result: asObject(result),
      error: asObject(error),
    };
  }

  /** The methods of what is not answered yet. */
  get methods(): string[] {
    return [...this.#requests.values()].map(({ method }) => asText(method) ?? "");
  }
}

/** What reads the messages of a connection, by who sent them; what is `undefined` is not known. */
export interface RpcHandlers {
  /** The agent tells something, or asks for it, and the client answers. */
  notified(method: string, params: Json, frame: Json): Signal[] | undefined;
  requested(method: string, params: Json, frame: Json): Signal[] | undefined;
  answered?(answer: RpcResponse, frame: Json): Signal[] | undefined;
  /** The client tells something, or asks for it, and the agent answers. */
  sent(method: string, params: Json, frame: Json): Signal[] | undefined;
  responded(answer: RpcResponse, frame: Json): Signal[] | undefined;
}

/**
 * Reads both directions of one connection. Requests of the two sides count in id spaces of their own, so a message
 * with a method is never taken for an answer.
 */
export function createRpcReader(readers: RpcHandlers) {
  const theirs = new PendingRequests();
  const rpc = {
    /** What the client asked for. */
    clientRequests: new PendingRequests(),
    /** Nothing was seen of the agent so far, or of the client. */
    isSilent: true,
    isOneSided: true,
    frame(frame: Json): Signal[] | undefined {
      rpc.isSilent = false;
      const method = asText(frame.method);
      if (method === undefined)
        return isAnswer(frame) ? readers.responded(rpc.clientRequests.take(frame), frame) : undefined;
      const params = asObject(frame.params) ?? {};
      // Some write an id of `null` where there is none.
      if (frame.id == null) return readers.notified(method, params, frame);
      theirs.add(frame);
      return readers.requested(method, params, frame);
    },
    sent(frame: Json): Signal[] | undefined {
      rpc.isOneSided = false;
      const method = asText(frame.method);
      if (method === undefined) return readers.answered?.(theirs.take(frame), frame);
      rpc.clientRequests.add(frame);
      return readers.sent(method, asObject(frame.params) ?? {}, frame);
    },
  };
  return rpc;
}

/** One that came without its id still tells something. */
const isAnswer = (frame: Json): boolean => "id" in frame || "result" in frame;

type Step = (result: Json) => string[];

/** Requests of a driver's, numbered, and what the answer to each leads to. */
export class RpcRequester {
  /** A step was refused, so that nothing follows from it. */
  hasGivenUp = false;
  readonly #version: object;
  readonly #steps = new Map<unknown, Step>();
  #next: number;

  /** `version` is what every frame has besides; `first` is the first number that is given without being asked for. */
  constructor({ version = { jsonrpc: "2.0" }, first = 0 }: { version?: object; first?: number } = {}) {
    this.#version = version;
    this.#next = first;
  }

  request(method: string, params: object, then?: Step, id = this.#next++): string {
    if (then) this.#steps.set(id, then);
    return this.frame({ id, method, params });
  }

  refuse(id: unknown, code: number, message: string): string {
    return this.frame({ id, error: { code, message } });
  }

  frame(fields: object): string {
    return JSON.stringify({ ...this.#version, ...fields });
  }

  /** An answer; `undefined` where nothing was to follow from it. */
  handleResponse({ id, result, error }: Json): string[] | undefined {
    const step = this.#steps.get(id);
    this.#steps.delete(id);
    return step && (error === undefined ? step(asObject(result) ?? {}) : this.giveUp());
  }

  giveUp(): string[] {
    this.hasGivenUp = true;
    return [];
  }
}
