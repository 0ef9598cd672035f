import { request } from "node:http";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import { createListener } from "./listener.ts";
import { serve, startRun, TOKEN } from "./testing/serve.ts";

it("a request that is too slow is told so", async () => {
  const never = (): never => expect.unreachable();
  const listener = createListener({
    ...{ routes: [], maxConnections: 1 },
    ...{ guard: never, auth: never, upgrade: never, isStopping: never, createId: () => "req_1", onFault: never },
  });
  const socket = new PassThrough();
  listener.emit("clientError", Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('{"error":{"code":"request_timeout"');
});

describe("the operator", () => {
  it("is not told of a caller that hangs up in the middle of a body", async () => {
    const onFault = vi.fn();
    const { server, log } = await serve({ onFault });
    const run = await startRun(log);
    const sent = request(`${server.url}/v1/runs/${run.run_id}/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "content-length": 1000 },
    });
    sent.on("error", () => {});
    sent.write('{"note":');
    await sleep(100);
    sent.destroy();
    await sleep(100);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("is told of a log that cannot be written, and the server is not ready until it is opened again", async () => {
    const onFault = vi.fn();
    const { log } = await serve();
    const run = await startRun(log);
    const fault = new LogError("write_failed", "The disk is gone.");
    const { server, post } = await serve({ log: brokenLog(log, fault), onFault });
    const refused = await post(`/v1/runs/${run.run_id}/events`, { note: "x" });
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "log_unavailable" } }]);
    expect(onFault.mock.calls).toEqual([[fault, refused.headers.get("x-request-id")]]);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { error: { message: "The disk is gone." } }]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(onFault).toHaveBeenCalledTimes(1);
  });
});

const brokenLog = (log: Log, fault: LogError): Log =>
  new Proxy(log, {
    get(target, name) {
      if (name === "fault") return fault;
      if (name === "append") return () => Promise.reject(fault);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
