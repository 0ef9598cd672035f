import { homedir } from "node:os";
import path from "node:path";
import { problems } from "@spoor/protocol";
import { AgentList, RunList } from "@spoor/protocol/api";
import { createSpoorClient } from "@spoor/protocol/client";
import { expect, it } from "vitest";
import { serve, startRun, TOKEN } from "../../../testing/server/serve.ts";
import { ownWorkerId } from "../../runtime/worker.ts";

it("lists runs by words, state, model and folder, with the facts of their rows", async () => {
  const { log, server, get } = await serve();
  const client = createSpoorClient({ url: server.url, token: TOKEN });
  const one = await startRun(log, 2);
  const two = await startRun(log, 2, "codex");
  const facts = { status: "running", worker_id: ownWorkerId(), model: "opus", workspace_path: "/srv/app" } as const;
  await log.append([
    {
      run_id: one.run_id,
      drafts: [],
      facts: {
        ...facts,
        title: "Fix login",
        state: "blocked",
        pending: 1,
        now: "asks: which?",
        cost_source: "reported",
      },
    },
    { run_id: two.run_id, drafts: [], facts: { ...facts, title: "Fix logout", state: "working", model: "gpt-5" } },
  ]);
  const idsOf = async (query: Parameters<typeof client.runs.list>[0]) =>
    (await client.runs.list(query)).data.map(({ run_id }) => run_id);

  expect(await idsOf({ q: "fix" })).toEqual([two.run_id, one.run_id]);
  expect(await idsOf({ q: "login fix" })).toEqual([one.run_id]);
  expect(await idsOf({ state: "blocked" })).toEqual([one.run_id]);
  expect(await idsOf({ model: "gpt-5" })).toEqual([two.run_id]);
  expect(await idsOf({ path: "/srv", agent: "codex", status: "running" })).toEqual([two.run_id]);
  expect(await idsOf({ path: "/srv/ap" })).toEqual([]);

  await log.append([{ run_id: two.run_id, drafts: [], facts: { workspace_path: path.join(homedir(), "app") } }]);
  expect(await idsOf({ path: "~/app" })).toEqual([two.run_id]);
  expect(await idsOf({ path: "~/other" })).toEqual([]);

  const list = await client.runs.list({ q: one.run_id });
  expect(list.home).toBe(homedir());
  expect([...problems(RunList, list)]).toEqual([]);
  expect(list.data).toMatchObject([
    { state: "blocked", pending: 1, now: "asks: which?", cost_source: "reported", alive: true },
  ]);
  expect(await client.runs.get(one.run_id)).toEqual(list.data[0]);
  for (const query of ["state=busy", "path=%00", "path=", "q=%00", "model=", "counts=yes"]) {
    const answer = await get(`/v1/runs?${query}`);
    expect([query, answer.status]).toEqual([query, 400]);
  }
});

it("searches prompts and changed files of the whole log, page by page, whatever the words look like", async () => {
  const { log, server } = await serve();
  const client = createSpoorClient({ url: server.url, token: TOKEN });
  const draft = (type: string, data: object) => ({ type, timestamp: 1, json: JSON.stringify(data) });
  const { run_id: old } = await startRun(log, 1, "codex");
  await log.append([
    {
      run_id: old,
      epoch: 1,
      drafts: [
        draft("user.message", { turn_index: 0, text: '100% of it\'s "quoted" AND (paren* OR near)', via: "prompt" }),
        draft("tool.file.patch", { path: "src/Calc.js", operation: "edit", diff: "" }),
      ],
    },
  ]);
  for (let count = 0; count < 8; count += 1) await startRun(log, 1);
  const idsOf = async (query: Parameters<typeof client.runs.list>[0]) =>
    (await client.runs.list(query)).data.map(({ run_id }) => run_id);

  for (const q of ["100%", "it's", '"quoted"', "(paren*", "AND near)", "calc.js", "codex calc"])
    expect([q, await idsOf({ q, limit: 3 })]).toEqual([q, [old]]);
  for (const q of ["' OR 1=1 --", "*", "%", "NEAR(a b)", "\\", "🦊", "x".repeat(500)])
    expect([q, (await client.runs.list({ q })).object]).toEqual([q, "list"]);
  expect(await idsOf({ path: "src/calc" })).toEqual([old]);
  expect(await idsOf({ agent: "co*" })).toEqual([old]);
  const page = await client.runs.list({ limit: 1, counts: true });
  expect(page.counts?.total).toBe(9);
  expect([...problems(RunList, page)]).toEqual([]);
  expect((await client.runs.list({ limit: 1 })).counts).toBeUndefined();
});

it("lists the agents with what each can be held to, also under the other path", async () => {
  const { server, get } = await serve();
  const { data } = await createSpoorClient({ url: server.url, token: TOKEN }).agents.list();
  expect([...problems(AgentList, { object: "list", data })]).toEqual([]);
  const controls = Object.fromEntries(data.map(({ agent, controls }) => [agent, controls]));
  expect(controls.claude).toEqual({
    dialect: "stream-json",
    ...{ asks_permission: true, takes_answers: true, takes_prompts: true, can_be_interrupted: true },
    ...{ can_be_paused: process.platform !== "win32", reports_usage: true },
  });
  expect(data.every(({ controls: each }) => each !== undefined)).toBe(true);
  expect(await (await get("/hecate/v1/agents")).json()).toEqual({ object: "list", data });
}, 60_000);
