import { describe, expect, it } from "vitest";
import type { Signal } from "../signal.ts";
import { createRpcReader, PendingRequests, RpcRequester } from "./json-rpc.ts";

describe("pending requests", () => {
  it("are returned once, by the id of the response", () => {
    const waiting = new PendingRequests();
    waiting.add({ id: 7, method: "session/new", params: { cwd: "/w" } });
    expect(waiting.methods).toEqual(["session/new"]);
    expect(waiting.take({ id: 7, result: { sessionId: "s" } })).toMatchObject({
      ...{ method: "session/new", params: { cwd: "/w" }, result: { sessionId: "s" }, error: undefined },
    });
    expect(waiting.take({ id: 7, result: {} })).toMatchObject({ request: undefined, method: "", params: {} });
  });

  it("exclude notifications, and distinguish ids of different types", () => {
    const waiting = new PendingRequests();
    waiting.add({ method: "session/cancel" });
    waiting.add({ id: 1, method: "initialize", params: "none" });
    expect(waiting.take({ result: {} }).request).toBeUndefined();
    expect(waiting.take({ id: "1", result: {} }).request).toBeUndefined();
    expect(waiting.take({ id: 1, result: null, error: "no" })).toMatchObject({ method: "initialize", params: {} });
  });
});

describe("the reader of both directions", () => {
  const reported = (...words: unknown[]): Signal[] => [{ kind: "note", message: words.join(" ") }];
  const open = () =>
    createRpcReader({
      notified: (method, params) => reported("notified", method, params.n),
      requested: (method, params, { id }) => reported("requested", id, method, params.n),
      answered: ({ method, result }) => reported("answered", method, result?.n),
      sent: (method, params) => reported("sent", method, params.n),
      responded: ({ method, result }) => reported("responded", method, result?.n),
    });

  it("pairs each response with its request although both sides use the same ids", () => {
    const rpc = open();
    expect(rpc.sent({ id: 1, method: "prompt", params: { n: 2 } })).toEqual(reported("sent", "prompt", 2));
    expect(rpc.frame({ id: 1, method: "ask", params: { n: 3 } })).toEqual(reported("requested", 1, "ask", 3));
    expect(rpc.frame({ method: "update", params: { n: 4 } })).toEqual(reported("notified", "update", 4));
    expect(rpc.frame({ id: null, method: "update", params: {} })).toEqual(reported("notified", "update", undefined));
    expect(rpc.clientRequests.methods).toEqual(["prompt"]);
    expect(rpc.frame({ id: 1, result: { n: 5 } })).toEqual(reported("responded", "prompt", 5));
    expect(rpc.sent({ id: 1, result: { n: 6 } })).toEqual(reported("answered", "ask", 6));
    expect(rpc.frame({ id: 1, result: { n: 7 } })).toEqual(reported("responded", "", 7));
    expect(rpc.frame({ result: { n: 8 } })).toEqual(reported("responded", "", 8));
  });

  it("knows which side has sent something, and returns undefined for other frames", () => {
    const rpc = open();
    expect([rpc.isSilent, rpc.isOneSided]).toEqual([true, true]);
    expect(rpc.frame({ level: "info" })).toBeUndefined();
    expect(rpc.frame({ method: 5, params: "none" })).toBeUndefined();
    expect([rpc.isSilent, rpc.isOneSided]).toEqual([false, true]);
    rpc.sent({ method: "cancel", params: null });
    expect(rpc.isOneSided).toBe(false);
  });
});

describe("a handshake", () => {
  it("continues once with each response", () => {
    const asking = new RpcRequester();
    const first = asking.request("connect", {}, ({ name }) => [asking.request("open", { name })]);
    expect(JSON.parse(first)).toEqual({ jsonrpc: "2.0", id: 0, method: "connect", params: {} });
    const [next = ""] = asking.handleResponse({ id: 0, result: { name: "n" } }) ?? [];
    expect(JSON.parse(next)).toEqual({ jsonrpc: "2.0", id: 1, method: "open", params: { name: "n" } });
    expect(asking.handleResponse({ id: 0, result: {} })).toBeUndefined();
    expect(asking.handleResponse({ id: 1, result: {} })).toBeUndefined();
  });

  it("is given up if a step is refused, but not if a request without a next step is", () => {
    const asking = new RpcRequester({ version: {}, first: 4 });
    expect(JSON.parse(asking.request("prompt", {}))).toEqual({ id: 4, method: "prompt", params: {} });
    expect(asking.handleResponse({ id: 4, error: { code: 1 } })).toBeUndefined();
    expect(asking.hasGivenUp).toBe(false);
    asking.request("open", {}, () => ["never"], 0);
    expect(asking.handleResponse({ id: 0, error: { code: 1 } })).toEqual([]);
    expect(asking.hasGivenUp).toBe(true);
  });
});
