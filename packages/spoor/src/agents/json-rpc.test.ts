import { describe, expect, it } from "vitest";
import { Asking, Waiting } from "./json-rpc.ts";

describe("requests that wait for an answer", () => {
  it("are found once by the id of the answer, with what they asked for", () => {
    const waiting = new Waiting();
    waiting.add({ id: 7, method: "session/new", params: { cwd: "/w" } });
    expect(waiting.methods).toEqual(["session/new"]);
    expect(waiting.take({ id: 7, result: { sessionId: "s" } })).toMatchObject({
      ...{ method: "session/new", params: { cwd: "/w" }, result: { sessionId: "s" }, error: undefined },
    });
    expect(waiting.take({ id: 7, result: {} })).toMatchObject({ request: undefined, method: "", params: {} });
  });

  it("are not notifications, and not told by an id of another type", () => {
    const waiting = new Waiting();
    waiting.add({ method: "session/cancel" });
    waiting.add({ id: 1, method: "initialize", params: "none" });
    expect(waiting.take({ result: {} }).request).toBeUndefined();
    expect(waiting.take({ id: "1", result: {} }).request).toBeUndefined();
    expect(waiting.take({ id: 1, result: null, error: "no" })).toMatchObject({ method: "initialize", params: {} });
  });
});

describe("a handshake", () => {
  it("goes on with each answer, once", () => {
    const asking = new Asking();
    const first = asking.request("connect", {}, ({ name }) => [asking.request("open", { name })]);
    expect(JSON.parse(first)).toEqual({ jsonrpc: "2.0", id: 0, method: "connect", params: {} });
    const [next = ""] = asking.answered({ id: 0, result: { name: "n" } }) ?? [];
    expect(JSON.parse(next)).toEqual({ jsonrpc: "2.0", id: 1, method: "open", params: { name: "n" } });
    expect(asking.answered({ id: 0, result: {} })).toBeUndefined();
    expect(asking.answered({ id: 1, result: {} })).toBeUndefined();
  });

  it("is given up when a step of it is refused, and not for a request that nothing follows from", () => {
    const asking = new Asking({ version: {}, first: 4 });
    expect(JSON.parse(asking.request("prompt", {}))).toEqual({ id: 4, method: "prompt", params: {} });
    expect(asking.answered({ id: 4, error: { code: 1 } })).toBeUndefined();
    expect(asking.hasGivenUp).toBe(false);
    asking.request("open", {}, () => ["never"], 0);
    expect(asking.answered({ id: 0, error: { code: 1 } })).toEqual([]);
    expect(asking.hasGivenUp).toBe(true);
  });
});
