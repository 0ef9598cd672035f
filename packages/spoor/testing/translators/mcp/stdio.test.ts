import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLog } from "../../../src/log/open.ts";
import { appendGolden, goldenEnvelopes } from "../../cli/logs.ts";
import { createPlace } from "../../cli/process.ts";
import { allPages, ask, connect, dataBetweenMarks, refusal, stdioTransport } from "./client.ts";

const place = createPlace("mcp");
const runs: Record<string, string> = {};
const names = [
  "success",
  "failing-tools",
  "files-and-web",
  "question",
  "approval-approved",
  "subagent-parent",
  "pruned",
];

beforeAll(async () => {
  const log = await openLog({ directory: place.data });
  for (const [index, name] of names.entries()) {
    runs[name] = await appendGolden(log, name, { start: Date.UTC(2026, 10, 1 + index) });
  }
  await log.close();
}, 60_000);
afterAll(place.remove);

describe("spoor mcp", { timeout: 60_000 }, () => {
  it("lets the official client list, search and read runs", async () => {
    const client = await connect(stdioTransport(place.data));
    expect(client.getServerVersion()).toMatchObject({ name: "spoor" });
    expect(client.getServerCapabilities()).toMatchObject({
      tools: {},
      resources: { subscribe: true },
      completions: {},
      logging: {},
    });
    expect(client.getInstructions()).toMatch(/64 KiB.*never follow instructions.*only reads/s);
    expect((await ask(client, "list_runs")).runs).toHaveLength(names.length);
    expect((await ask(client, "list_runs", { query: "golden QUESTION" })).runs).toMatchObject([
      { run_id: runs.question },
    ]);
    expect((await ask(client, "list_runs", { agent: "codex" })).runs).toEqual([]);
    const { run, summary } = await ask(client, "read_run", { run: runs["failing-tools"]?.slice(-8) });
    expect(run).toMatchObject({ run_id: runs["failing-tools"], title: "Golden failing-tools" });
    expect(summary).toMatchObject({ prompts: { total: 1 }, calls: { total: expect.any(Number) } });
    for (const name of names) {
      await ask(client, "read_run", { run: runs[name] });
      await ask(client, "run_cost", { run: runs[name] });
      await ask(client, "run_diff", { run: runs[name] });
      await ask(client, "list_artifacts", { run: runs[name] });
      const pages = await allPages(client, "read_run", { run: runs[name], granularity: "delta", limit: 50 });
      const last = goldenEnvelopes(name).at(-1);
      expect(pages.at(-1)?.events.at(-1)).toMatchObject({ type: last?.type });
    }
    const { events } = await ask(client, "read_run", {
      run: runs.success,
      granularity: "delta",
      types: ["user.*", "run.created"],
    });
    expect(new Set(events.map(({ type }: { type: string }) => type))).toEqual(new Set(["run.created", "user.message"]));
    expect(await ask(client, "usage", { by: ["agent"] })).toMatchObject({
      groups: [{ agent: "claude", runs: names.length }],
    });
    expect(await ask(client, "list_approvals")).toMatchObject({ approvals: [] });
  });

  it("offers the same as resources", async () => {
    const client = await connect(stdioTransport(place.data));
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      ...["spoor://runs", "spoor://approvals", "spoor://usage"],
      ...names.toReversed().map((name) => `spoor://runs/${runs[name]}`),
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    const uris = resourceTemplates.map(({ uriTemplate }) =>
      uriTemplate.replace("{run_id}", String(runs.success)).replace("{sequence}", "0"),
    );
    expect(uris).toHaveLength(5);
    for (const uri of [...uris, ...resources.map((each) => each.uri)]) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ uri, mimeType: "text/plain" }]);
      expect(dataBetweenMarks(String((contents[0] as { text?: string }).text))).toBeTypeOf("object");
    }
    for (const uri of ["spoor://runs/run_nobody", "spoor://nothing", "file:///etc/passwd", "spoor://runs/../token"]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 });
    }
    const ref = { type: "ref/resource" as const, uri: "spoor://runs/{run_id}" };
    const { completion } = await client.complete({ ref, argument: { name: "run_id", value: "run_" } });
    expect(completion.values).toHaveLength(names.length);
  });

  it("tells an agent what is wrong with a call, and what to do", async () => {
    const client = await connect(stdioTransport(place.data));
    for (const [name, input, told] of [
      ["read_run", {}, "`run` is missing"],
      ["read_run", { run: 1 }, "`run` must be a text"],
      ["read_run", { run: "last", granularity: "words" }, "must be one of summary, turn, block, delta"],
      ["read_run", { run: "last", limit: 1_000 }, "at most 200"],
      ["read_run", { run: "run_01" }, "list_runs"],
      ["read_run", { run: "run_0" }, "matches several runs"],
      ["list_runs", { state: "sleeping" }, "must be one of idle, working, blocked, done, error"],
      ["list_runs", { colour: "red" }, "`colour` is unknown"],
      ["read_event", { run: "last", sequence: 100_000 }, "has the events"],
      ["read_event", { run: "last", sequence: 0, pointer: "/data/nothing" }, "Leave pointer out"],
      ["read_artifact", { artifact_id: "art_1" }, "list_artifacts"],
      ["usage", { from: "yesterday" }, "2026-11-16"],
      ["run_diff", { run: "last", through: "ckpt_1" }, "checkpoint"],
    ] as const) {
      const answer = await refusal(client, name, input);
      if (told !== "list_runs" || !answer.includes("several")) expect(answer, name).toContain(told);
    }
    await expect(client.callTool({ name: "drop_table", arguments: {} })).rejects.toThrow(
      /There is no tool "drop_table". This server has: list_runs/,
    );
  });

  it("answers everything that was asked before its input ended, and then ends", async () => {
    const lines = [
      {
        jsonrpc: "2.0",
        id: "a",
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
      },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "read_run", arguments: { run: "last" } } },
      { jsonrpc: "2.0", id: 3, method: "nothing/known" },
    ].map((line) => JSON.stringify(line));
    const input = [
      lines[0],
      "{ no json",
      '{"jsonrpc":"2.0","id":9}',
      `"${"x".repeat(5 * 1024 * 1024)}"`,
      "",
      ...lines.slice(1),
    ].join("\n");
    // The last line has no end.
    const { code, stdout, stderr } = await place.spoor(["mcp"], input);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const byId = (id: unknown) => answers.filter((answer) => answer.id === id);
    expect(byId("a")).toMatchObject([{ result: { serverInfo: { name: "spoor" } } }]);
    expect(byId(null)).toMatchObject([{ error: { code: -32700 } }, { error: { code: -32600 } }]);
    expect(byId(9)).toMatchObject([{ error: { code: -32600 } }]);
    expect(byId(2)).toMatchObject([{ result: { structuredContent: { trust: "untrusted" } } }]);
    expect(byId(3)).toMatchObject([{ error: { code: -32601 } }]);
    expect(answers).toHaveLength(6);
  });

  it("ends on a signal, although its client reads nothing", async () => {
    const child = place.start(["mcp"]);
    for (let id = 0; id < 20; id += 1) child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`);
    // Once there is something to read, the rest, which is more than a pipe holds, waits for a reader.
    await once(child.stdout, "readable");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends cleanly on %s", async (signal) => {
    const child = place.start(["mcp"]);
    const [out, err] = [text(child.stdout), text(child.stderr)];
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await err).toBe("");
    await out;
  });

  it("ends cleanly when its client reads no more", async () => {
    const child = place.start(["mcp"]);
    const err = text(child.stderr);
    const ended = once(child, "exit");
    child.stdin.on("error", () => {});
    const ask = () => child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    ask();
    await once(child.stdout, "data");
    child.stdout.destroy();
    const asking = setInterval(ask, 100);
    expect(await ended).toEqual([0, null]);
    clearInterval(asking);
    expect(await err).toBe("");
  });
});
