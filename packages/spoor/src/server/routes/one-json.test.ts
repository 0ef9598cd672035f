import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Envelope, idPrefixes } from "@spoor/protocol";
import { expect, it } from "vitest";
import { type Served, serve } from "../../../testing/server/serve.ts";
import { framesOf, liveFrames } from "../../../testing/server/sse-reader.ts";
import { connect } from "../../../testing/server/test-websocket.ts";

const stories = new URL("../../../../protocol/fixtures/envelopes/", import.meta.url);
const RUN_ULID = "01K9ZC0000SP00R0000000000";

/** Serves every golden story as a run, with every fact a record can have. */
async function served(): Promise<Served> {
  const made = await serve();
  for (const [index, file] of readdirSync(stories).entries()) {
    const envelopes = readFileSync(fileURLToPath(new URL(file, stories)), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Envelope);
    const run_id = `run_${RUN_ULID.slice(0, -2)}${String(index).padStart(3, "0")}`;
    const drafts = envelopes.map(({ type, data, occurred_at }) => ({
      type,
      timestamp: Date.parse(occurred_at),
      json: JSON.stringify(data),
    }));
    await made.log.append([
      {
        run_id,
        create: { agent: "claude", kind: "agent", session_id: `chat_${run_id.slice(4)}` },
        drafts,
        facts: { status: "completed", ended_at: Date.now(), turns: 1, cost_micros_usd: 1, title: file },
      },
    ]);
  }
  return made;
}

it("every route answers with snake_case names, RFC 3339 times and prefixed ids", async () => {
  const { get, post, log, server } = await served();
  const { runs } = await log.runs({ limit: 1_000 });
  const wrong = new Set<string>();
  const look = (where: string, value: unknown) => findWrong(value, where, (what) => void wrong.add(what));
  for (const { run_id, task_id } of runs) {
    for (const path of [
      `/v1/runs/${run_id}`,
      `/v1/tasks/${task_id}`,
      `/v1/tasks/${task_id}/runs`,
      `/v1/tasks/${task_id}/runs/${run_id}`,
      `/v1/runs/${run_id}/events`,
      `/v1/runs/${run_id}/steps`,
      `/v1/runs/${run_id}/cost`,
    ]) {
      look(path.replace(/_01\w+/g, "_*"), await (await get(path)).json());
    }
    for (const { event, data } of await framesOf(await get(`/v1/runs/${run_id}/stream`))) {
      look(`snapshot ${event}`, JSON.parse(data));
    }
    look("post", await (await post(`/v1/runs/${run_id}/events`, { note: "hello" })).json());
  }
  for (const path of [
    "/v1/runs",
    "/v1/tasks",
    "/v1/usage?by=day,agent,model,task,session",
    "/v1/events?limit=500",
    "/healthz",
    "/readyz",
    "/v1/runs/run_x",
  ]) {
    look(path, await (await get(path)).json());
  }
  look("login link", await (await post("/v1/login_links", "")).json());
  for await (const { data } of liveFrames(await get("/v1/events/stream?from=now"))) {
    look("resume", JSON.parse(data));
    break;
  }
  const client = await connect(server.url);
  client.send({ type: "subscribe", id: "1", all: true });
  await client.until(({ events }) => events !== undefined);
  for (const message of client.received) look("websocket", JSON.parse(message));
  client.socket.terminate();
  expect([...wrong].sort()).toEqual([]);
});

/** Fields whose content agents or callers choose. */
const foreign = new Set(["input", "output", "arguments", "native", "raw", "details", "schema", "value"]);
/** Ids that agents or callers choose. */
const theirs = new Set([
  ...[
    "id",
    "native_session_id",
    "tool_call_id",
    "step_id",
    "resume_from_step_id",
    "from_step_id",
    "prior_step_id",
    "policy_id",
    "plugin_id",
    "checkpoint_id",
    "subagent_id",
  ],
  // Names a process and its machine.
  "worker_id",
  "launcher_id",
]);

const prefixes = [...Object.values(idPrefixes), "req_"];
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

function findWrong(value: unknown, where: string, report: (what: string) => void): void {
  if (Array.isArray(value)) for (const item of value) findWrong(item, where, report);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) report(`${where}: ${name} is not in snake_case`);
    if (name.endsWith("_at") && inner !== null && !INSTANT.test(String(inner))) report(`${where}: ${name} is ${inner}`);
    const isId = name.endsWith("_id") && !theirs.has(name);
    if (isId && !prefixes.some((prefix) => String(inner).startsWith(prefix))) report(`${where}: ${name} is ${inner}`);
    if (!foreign.has(name)) findWrong(inner, where, report);
  }
}
