import type { Signal } from "../signal.ts";
import { asObject, asText, type Json } from "./json-values.ts";

/** A response together with its request. */
export interface RpcResponse {
  request: Json | undefined;
  /** Of the request. */
  method: string;
  params: Json;
  /** Of the response. */
  result: Json | undefined;
  error: Json | undefined;
}

/** Requests without a response, by id. */
export class PendingRequests {
  readonly #requests = new Map<unknown, Json>();

  add(frame: Json): void {
    if (frame.id !== undefined) this.#requests.set(frame.id, frame);
  }

  /** Returns the response together with its request, if that was seen. */
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

  /** The methods of the requests without a response. */
  get methods(): string[] {
    return [...this.#requests.values()].map(({ method }) => asText(method) ?? "");
  }
}

/** Handlers for the messages of a connection, by sender. A handler returns `undefined` for an unknown message. */
export interface RpcHandlers {
  /** The agent sends a notification or a request, and the client responds. */
  notified(method: string, params: Json, frame: Json): Signal[] | undefined;
  requested(method: string, params: Json, frame: Json): Signal[] | undefined;
  answered?(answer: RpcResponse, frame: Json): Signal[] | undefined;
  /** The client sends a notification or a request, and the agent responds. */
  sent(method: string, params: Json, frame: Json): Signal[] | undefined;
  responded(answer: RpcResponse, frame: Json): Signal[] | undefined;
}

/**
 * Reads both directions of one connection. Each side numbers its requests independently, so a message with a method is
 * never a response.
 */
export function createRpcReader(readers: RpcHandlers) {
  const theirs = new PendingRequests();
  const rpc = {
    /** The client's requests without a response. */
    clientRequests: new PendingRequests(),
    /** `isSilent`: the agent has sent nothing. `isOneSided`: the client has sent nothing. */
    isSilent: true,
    isOneSided: true,
    frame(frame: Json): Signal[] | undefined {
      rpc.isSilent = false;
      const method = asText(frame.method);
      if (method === undefined)
        return isAnswer(frame) ? readers.responded(rpc.clientRequests.take(frame), frame) : undefined;
      const params = asObject(frame.params) ?? {};
      // Some agents send notifications with an id of `null`.
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

/** A response that came without its id is still read. */
const isAnswer = (frame: Json): boolean => "id" in frame || "result" in frame;

type Step = (result: Json) => string[];

/** Numbers a driver's requests, and maps each response to the frames that follow it. */
export class RpcRequester {
  /** A step of the handshake was refused, so no further step follows. */
  hasGivenUp = false;
  readonly #version: object;
  readonly #steps = new Map<unknown, Step>();
  #next: number;

  /** `version` is added to every frame. `first` is the first automatic id. */
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

  /** Returns the frames that follow a response; `undefined` if no step waits for it. */
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
