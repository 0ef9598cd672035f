import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { serve, startRun, TOKEN } from "../../testing/server/serve.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";

describe("onFault", () => {
  it("is not called when a client hangs up in the middle of its request", async () => {
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

  it("is called when the log cannot be written, and the server is not ready until the log is opened again", async () => {
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
