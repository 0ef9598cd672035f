import { describe, expect, it } from "vitest";
import { serve, startRun, TOKEN } from "../../../testing/server/serve.ts";
import { httpErrorCodes, statusOf } from "../http/http-error.ts";
import { sendJson } from "../http/respond.ts";
import type { Route } from "../http/route.ts";
import { createServer } from "../server.ts";

interface Operation {
  operationId: string;
  summary: string;
  security?: unknown[];
  parameters: { name: string; in: string; schema: object; description?: string }[];
  responses: Record<string, { description: string; content?: Record<string, { schema?: object }> }>;
}
interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

describe("/openapi.json", () => {
  it("describes every route with its parameters and answers", async () => {
    const { get } = await serve();
    const api = (await (await get("/openapi.json")).json()) as OpenApi;
    expect(api.openapi).toBe("3.1.0");
    expect(Object.keys(api.paths)).toContain("/v1/tasks/{task_id}/runs/{run_id}/events");
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const operation of Object.values(methods)) {
        expect(operation.summary).not.toBe("");
        const named = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
        expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
        expect(operation.responses.default).toBeDefined();
      }
    }
  });

  it("names the server's URL, and every operation by a fixed unique id", async () => {
    const { get, server } = await serve();
    const api = (await (await get("/openapi.json")).json()) as OpenApi;
    expect(api.servers.map(({ url }) => url)).toEqual([server.url, "/"]);
    const names = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    );
    // Clients are generated with these names: add names, and change none.
    expect(names.sort()).toEqual([
      "delete /v1/tasks/{task_id} deleteTask",
      "get /docs getDocs",
      "get /healthz getHealth",
      "get /login/{code} logIn",
      "get /openapi.json getOpenApi",
      "get /readyz getReadiness",
      "get /v1/agents listAgents",
      "get /v1/approvals listApprovals",
      "get /v1/approvals/{approval_id} getApproval",
      "get /v1/artifacts listArtifacts",
      "get /v1/artifacts/{artifact_id} getArtifact",
      "get /v1/artifacts/{artifact_id}/file getCurrentFile",
      "get /v1/artifacts/{artifact_id}/raw getArtifactContent",
      "get /v1/events listEvents",
      "get /v1/events/stream streamEvents",
      "get /v1/runs listRuns",
      "get /v1/runs/{run_id} getRun",
      "get /v1/runs/{run_id}/approvals listRunApprovals",
      "get /v1/runs/{run_id}/artifacts listRunArtifacts",
      "get /v1/runs/{run_id}/commands listRunCommands",
      "get /v1/runs/{run_id}/cost getRunCost",
      "get /v1/runs/{run_id}/diff getRunDiff",
      "get /v1/runs/{run_id}/events listRunEvents",
      "get /v1/runs/{run_id}/steps listSteps",
      "get /v1/runs/{run_id}/stream watchRun",
      "get /v1/tasks listTasks",
      "get /v1/tasks/{task_id} getTask",
      "get /v1/tasks/{task_id}/runs listTaskRuns",
      "get /v1/tasks/{task_id}/runs/{run_id} getTaskRun",
      "get /v1/tasks/{task_id}/runs/{run_id}/approvals listTaskRunApprovals",
      "get /v1/tasks/{task_id}/runs/{run_id}/artifacts listTaskRunArtifacts",
      "get /v1/tasks/{task_id}/runs/{run_id}/commands listTaskRunCommands",
      "get /v1/tasks/{task_id}/runs/{run_id}/cost getTaskRunCost",
      "get /v1/tasks/{task_id}/runs/{run_id}/diff getTaskRunDiff",
      "get /v1/tasks/{task_id}/runs/{run_id}/events listTaskRunEvents",
      "get /v1/tasks/{task_id}/runs/{run_id}/steps listTaskRunSteps",
      "get /v1/tasks/{task_id}/runs/{run_id}/stream watchTaskRun",
      "get /v1/usage getUsage",
      "get /v1/webhooks listWebhooks",
      "get /v1/ws openWebSocket",
      "post /v1/approvals/{approval_id}/resolve resolveApproval",
      "post /v1/artifacts/{artifact_id}/apply applyPatch",
      "post /v1/artifacts/{artifact_id}/reject rejectPatch",
      "post /v1/artifacts/{artifact_id}/revert revertPatch",
      "post /v1/demo startDemo",
      "post /v1/login_links createLoginLink",
      "post /v1/runs/{run_id}/apply applyRun",
      "post /v1/runs/{run_id}/cancel cancelRun",
      "post /v1/runs/{run_id}/continue continueRun",
      "post /v1/runs/{run_id}/events addRunEvent",
      "post /v1/runs/{run_id}/fork forkRun",
      "post /v1/runs/{run_id}/interrupt interruptRun",
      "post /v1/runs/{run_id}/pause pauseRun",
      "post /v1/runs/{run_id}/resume resumeRun",
      "post /v1/runs/{run_id}/retry retryRun",
      "post /v1/runs/{run_id}/retry-from-turn retryRunFromTurn",
      "post /v1/runs/{run_id}/revert revertRun",
      "post /v1/runs/{run_id}/send sendRun",
      "post /v1/runs/{run_id}/unpause unpauseRun",
      "post /v1/tasks createTask",
      "post /v1/tasks/{task_id}/runs/{run_id}/cancel cancelTaskRun",
      "post /v1/tasks/{task_id}/runs/{run_id}/continue continueTaskRun",
      "post /v1/tasks/{task_id}/runs/{run_id}/events addTaskRunEvent",
      "post /v1/tasks/{task_id}/runs/{run_id}/fork forkTaskRun",
      "post /v1/tasks/{task_id}/runs/{run_id}/interrupt interruptTaskRun",
      "post /v1/tasks/{task_id}/runs/{run_id}/pause pauseTaskRun",
      "post /v1/tasks/{task_id}/runs/{run_id}/resume resumeTaskRun",
      "post /v1/tasks/{task_id}/runs/{run_id}/retry retryTaskRun",
      "post /v1/tasks/{task_id}/runs/{run_id}/retry-from-turn retryTaskRunFromTurn",
      "post /v1/tasks/{task_id}/runs/{run_id}/send sendTaskRun",
      "post /v1/tasks/{task_id}/runs/{run_id}/unpause unpauseTaskRun",
      "post /v1/tasks/{task_id}/start startTask",
      "post /v1/webhooks/{webhook_id}/enable enableWebhook",
      "post /v1/webhooks/{webhook_id}/test testWebhook",
    ]);
    expect(new Set(names.map((name) => name.split(" ").at(-1))).size).toBe(names.length);
  });

  it("contains every schema that a route names", async () => {
    const { get } = await serve();
    const text = await (await get("/openapi.json")).text();
    const { schemas } = (JSON.parse(text) as OpenApi).components;
    const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name);
    expect([...new Set(named)].sort()).toEqual(Object.keys(schemas).sort());
    for (const name of named) expect(schemas[name]).toMatchObject({ type: "object", properties: {} });
    expect(schemas.ErrorAnswer).toMatchObject({
      properties: { error: { properties: { code: { enum: httpErrorCodes } } } },
    });
  });

  it("names every parameter that is read, and each is refused when it is sent twice", async () => {
    const { get, log } = await serve();
    const run = await startRun(log);
    const { paths } = (await (await get("/openapi.json")).json()) as OpenApi;
    let tried = 0;
    for (const [path, { get: operation }] of Object.entries(paths)) {
      const target = path.replace("{run_id}", run.run_id).replace("{task_id}", run.task_id);
      for (const { name, description } of operation?.parameters.filter((parameter) => parameter.in === "query") ?? []) {
        expect([path, name, description]).toEqual([path, name, expect.stringMatching(/./)]);
        const response = await get(`${target}?${name}=1&${name}=1`);
        expect([path, name, await response.json()]).toMatchObject([
          path,
          name,
          { error: { code: "invalid_parameter" } },
        ]);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(20);
    expect(await (await get("/docs")).text()).toContain("<dt>native_session_id</dt>");
  });

  it("includes additional routes, which are protected like the others", async () => {
    const extra: Route = {
      method: "POST",
      path: "/v1/echo/{word}",
      operation: "sayAgain",
      summary: "Say it again",
      answers: { 200: { description: "The word." } },
      handle: ({ response, path }) => sendJson(response, 200, path),
    };
    const { get, post, server } = await serve({ routes: () => [extra] });
    expect(((await (await get("/openapi.json")).json()) as OpenApi).paths["/v1/echo/{word}"]).toBeDefined();
    expect(await (await get("/docs")).text()).toContain("Say it again");
    expect(await (await post("/v1/echo/hello", {})).json()).toEqual({ word: "hello" });
    expect((await get("/v1/echo/hello")).status).toBe(405);
    expect((await get("/v1/echo/hello")).headers.get("allow")).toBe("POST");
    expect((await fetch(`${server.url}/v1/echo/hello`, { method: "POST" })).status).toBe(401);
  });
});

describe("/docs", () => {
  it("lists the allowed values of each parameter, and what to do about each error", async () => {
    const { get } = await serve();
    const page = await (await get("/docs")).text();
    expect(page).toContain("One of queued, awaiting_approval, running, completed, failed, cancelled.");
    expect(page).toContain("From 1 to 500; 200 by default.");
    for (const code of httpErrorCodes) expect(page).toContain(`<dt>${code} (${statusOf(code)})</dt><dd>`);
  });
});

describe("errors", () => {
  it("have a matching status and a hint", async () => {
    for (const code of httpErrorCodes)
      expect(statusOf(code)).toSatisfy((status: number) => status >= 400 && status < 600);
    const { get } = await serve();
    const response = await get("/v1/runs/run_nobody");
    expect(await response.json()).toEqual({
      error: {
        code: "run_not_found",
        message: "There is no run run_nobody.",
        hint: expect.stringContaining("/v1/runs"),
        request_id: response.headers.get("x-request-id"),
      },
    });
  });

  it("list the supported methods in Allow, also for HEAD", async () => {
    const { server } = await serve();
    for (const method of ["HEAD", "PUT", "OPTIONS"]) {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const response = await fetch(`${server.url}/v1/runs/run_x/events`, { method, headers });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"]);
    }
  });

  it("inside the server are reported to the operator, not to the client", async () => {
    const faults: [string, string][] = [];
    const broken: Route = {
      method: "GET",
      path: "/v1/broken",
      operation: "breakIt",
      summary: "Break",
      answers: {},
      handle: () => {
        throw new Error("a secret path");
      },
    };
    const { get } = await serve({
      routes: () => [broken],
      onFault: (error, request_id) => void faults.push([String(error), request_id]),
    });
    const response = await get("/v1/broken");
    const text = await response.text();
    expect([response.status, text]).toEqual([500, expect.not.stringContaining("secret")]);
    expect(faults).toEqual([["Error: a secret path", response.headers.get("x-request-id")]]);
  });
});

describe("a port that is taken", () => {
  it("is an error, and leaves the log usable", async () => {
    const { server, log } = await serve();
    const { port } = new URL(server.url);
    await expect(createServer({ log, token: TOKEN, port: Number(port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("health", () => {
  it("needs no token; ready only while the log can be read", async () => {
    const { server, log } = await serve();
    await startRun(log);
    const status = async (target: string) => (await fetch(server.url + target)).status;
    expect([await status("/healthz"), await status("/readyz")]).toEqual([200, 200]);
    expect((await fetch(`${server.url}/healthz`, { method: "HEAD" })).status).toBe(200);
    await log.close();
    expect([await status("/healthz"), await status("/readyz")]).toEqual([200, 503]);
  });
});
