import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, stdioServer } from "../../../testing/mcp/connect.ts";
import { startHttpServer } from "../../../testing/mcp/http-server.ts";
import { isRunning } from "../../../testing/process/pids.ts";

const WAIT = { timeout: 20_000 };

describe("the tools of an MCP server", () => {
  it("are named after the server and offered with their descriptions and schemas", async () => {
    const { toolOf } = await connect([stdioServer("docs")]);
    expect(toolOf("mcp__docs__echo")).toMatchObject({
      kind: "mcp",
      description: "Repeats a text.",
      schema: { type: "object", properties: { text: { type: "string" } } },
      effect: "effect",
      mcp: { server: "docs", tool: "echo" },
    });
    const [action] = toolOf("mcp__docs__echo").actions({}, { root: "/w", environment: {} });
    expect(action).toMatchObject({ subject: "mcp", server: "docs", name: "echo" });
  });

  it("have names that every provider takes, and keep their own name for the server", async () => {
    const { toolOf, connections, call } = await connect([stdioServer("docs")]);
    const names = connections.tools().map(({ name }) => name);
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
    const dotted = names.find((name) => name.startsWith("mcp__docs__dotted_name_")) ?? "";
    expect(toolOf(dotted).mcp).toEqual({ server: "docs", tool: "dotted.name" });
    expect(await call(dotted)).toMatchObject({ error: expect.stringContaining("There is no tool dotted.name") });
  });

  it("are effects, except those that the configuration calls read-only", async () => {
    const servers = [stdioServer("a", {}, { readonly: true }), stdioServer("b", {}, { readonly: ["echo"] })];
    const { toolOf } = await connect(servers);
    const effects = ["mcp__a__kinds", "mcp__b__echo", "mcp__b__kinds"].map((name) => toolOf(name).effect);
    expect(effects).toEqual(["read", "read", "effect"]);
  });

  it("never take the name of a tool of the loop, or of another server", async () => {
    const { connections, notes } = await connect([stdioServer("a"), stdioServer("a_")], {
      ownTools: new Set(["mcp__a__echo"]),
    });
    expect(connections.tools().map(({ name }) => name)).not.toContain("mcp__a__echo");
    expect(notes()).toContainEqual(expect.stringContaining("because the loop itself has a tool named mcp__a__echo"));
  });

  it("are at most 100, however many a server lists", async () => {
    const { connections, notes } = await connect([stdioServer("many", { count: 10_000 }), stdioServer("b")]);
    expect(connections.tools()).toHaveLength(100);
    expect(notes().filter((note) => note.includes("more than 100 tools"))).toHaveLength(1);
  });

  it("are read again when the server says that they changed", async () => {
    const { connections, call } = await connect([stdioServer("docs")]);
    const before = connections.tools().length;
    await call("mcp__docs__grows", { count: 2 });
    await vi.waitFor(() => expect(connections.tools()).toHaveLength(before + 2), WAIT);
  });
});

describe("a call of an MCP tool", () => {
  it("returns what the server answers", async () => {
    const { call } = await connect([stdioServer("docs")]);
    expect(await call("mcp__docs__echo", { text: "hi" })).toEqual({ output: "echo: hi", summary: "echo: hi" });
    expect(await call("mcp__docs__structured")).toMatchObject({ output: '{"answer":42}' });
  });

  it("keeps images and binary content as artifacts, and tells the model which", async () => {
    const { call, kept } = await connect([stdioServer("docs")]);
    const { output } = await call("mcp__docs__kinds");
    expect(output.split("\n")).toEqual([
      "a text",
      "[image, image/png, 3 bytes, kept as art_1]",
      "[audio, audio/wav, 3 bytes, kept as art_2]",
      "[resource file:///a.txt]",
      "its text",
      "[resource file:///b.bin, application/octet-stream, 3 bytes, kept as art_3]",
      "[resource c: https://example.test/c]",
    ]);
    expect(kept.map(({ kind, mime }) => [kind, mime])).toEqual([
      ["image", "image/png"],
      ["tool_result_blob", "audio/wav"],
      ["tool_result_blob", "application/octet-stream"],
    ]);
  });

  it("tells an error of the tool apart from one of the connection", async () => {
    const { call } = await connect([stdioServer("docs")]);
    expect(await call("mcp__docs__fails")).toMatchObject({ error: "no such record", protocol: false });
    expect(await call("mcp__docs__throws")).toMatchObject({
      error: expect.stringContaining("the database is gone"),
      protocol: true,
    });
  });

  it("ends when its time is over, and the server is told", async () => {
    const journal = path.join(folder(), "journal");
    const { call } = await connect([stdioServer("docs", { journal }, { timeout: 3_000 })]);
    const timedOut = { outcome: "timed_out", error: "The server did not answer within 3 s." };
    expect(await call("mcp__docs__hangs")).toMatchObject(timedOut);
    await vi.waitFor(() => expect(readFileSync(journal, "utf8")).toContain("cancelled hangs"), WAIT);
    expect(await call("mcp__docs__echo", { text: "still here" })).toMatchObject({ output: "echo: still here" });
  });

  it("ends when it is cancelled, and the server is told", async () => {
    const journal = path.join(folder(), "journal");
    const { call } = await connect([stdioServer("docs", { journal })]);
    const stop = new AbortController();
    const result = call("mcp__docs__hangs", {}, stop.signal);
    await vi.waitFor(() => expect(readFileSync(journal, "utf8")).toContain("call hangs"), WAIT);
    stop.abort();
    expect(await result).toMatchObject({ outcome: "cancelled", error: "The call was cancelled." });
    await vi.waitFor(() => expect(readFileSync(journal, "utf8")).toContain("cancelled hangs"), WAIT);
  });

  it("fails when the answer is too large, and the server stays usable", async () => {
    const { call } = await connect([stdioServer("docs")]);
    const { error, protocol } = await call("mcp__docs__huge", { bytes: 40 * 1024 * 1024 });
    expect([error, protocol]).toEqual([expect.stringContaining("larger than 16 MiB"), true]);
    expect(await call("mcp__docs__echo", { text: "ok" })).toMatchObject({ output: "echo: ok" });
  });

  it("passes progress and log messages on as notes", async () => {
    const { call, notes } = await connect([stdioServer("docs")]);
    await call("mcp__docs__tells");
    expect(notes()).toEqual(["MCP server docs: warning: it is slow", "MCP server docs: tells: 1/2 half"]);
  });
});

describe("a server that fails", () => {
  it.each([
    ["does not exist", { name: "x", command: "/nowhere/server" }, "/nowhere/server"],
    ["exits", stdioServer("x", { mode: "exits" }), "It ended before it answered (exit code 7)."],
    ["prints garbage", stdioServer("x", { mode: "garbage" }), "It did not answer within 4 s. It said: Welcome"],
    ["never answers", stdioServer("x", { mode: "silent" }), "It did not answer within 4 s."],
    ["has a name with two underscores", stdioServer("x__y"), 'holds "__"'],
    ["needs a variable that is not set", stdioServer("x", {}, { env: { K: "$NO_SUCH" } }), "NO_SUCH is not set"],
    ["speaks SSE", { name: "x", url: "http://127.0.0.1:9/", transport: "sse" }, "not over SSE"],
    ["does not listen", { name: "x", url: "http://127.0.0.1:9/", transport: "streamable-http" }, "fetch failed"],
  ])("because it %s is told, and the others work", async (_, server, reason) => {
    const { call, unavailable } = await connect([server, stdioServer("good")], { connectMs: 4_000 });
    expect(unavailable()).toEqual([
      { tool_name: expect.stringContaining("mcp__x"), reason: expect.stringContaining(reason) },
    ]);
    expect(await call("mcp__good__echo", { text: "hi" })).toMatchObject({ output: "echo: hi" });
  });

  it("because it lists what are no tools has no tools", async () => {
    const { connections, notes, unavailable } = await connect([stdioServer("x", { mode: "broken list" })]);
    expect([connections.tools(), unavailable()]).toEqual([[], []]);
    expect(notes()).toHaveLength(3);
  });

  it("because its list has no end is used as far as it was read", async () => {
    const { call, notes } = await connect([stdioServer("x", { endless: true })]);
    expect(notes()).toContainEqual(expect.stringContaining("does not end"));
    expect(await call("mcp__x__echo", { text: "hi" })).toMatchObject({ output: "echo: hi" });
  });

  it("because it dies in a call fails the call, and the run goes on without its tools", async () => {
    const { call, connections, unavailable } = await connect([stdioServer("x")]);
    const { error, protocol } = await call("mcp__x__dies");
    expect([error, protocol]).toEqual(["The call did not get an answer: The server ended (exit code 3).", true]);
    expect(unavailable()).toMatchObject([{ reason: expect.stringContaining("The run goes on without it.") }]);
    expect(connections.tools()).toEqual([]);
  });

  it("because there are more than 16 is told by name", async () => {
    const servers = Array.from({ length: 18 }, (_, index) => ({ name: `s${index}`, command: "/nowhere" }));
    const { unavailable } = await connect([...servers, { name: "s0", command: "/nowhere" }]);
    const refused = unavailable().filter(({ reason }) => /at most 16|Two servers/.test(String(reason)));
    expect(refused.map(({ tool_name }) => tool_name)).toEqual(["mcp__s16", "mcp__s17", "mcp__s0"]);
  });
});

describe("the process of a server", () => {
  it("sees only the variables that programs need, and those of its entry", async () => {
    const environment = { ...process.env, MY_KEY: "value-of-my-key", ANTHROPIC_API_KEY: "dummy", SPOOR_TOKEN: "dummy" };
    const { call } = await connect([stdioServer("x", {}, { env: { TOKEN: "$MY_KEY" } })], { environment });
    const seen = JSON.parse((await call("mcp__x__environment")).output) as Record<string, string>;
    expect(seen).toMatchObject({ TOKEN: "value-of-my-key", PATH: process.env.PATH });
    expect(Object.keys(seen).filter((name) => /API_KEY|SPOOR_TOKEN|MY_KEY/.test(name))).toEqual([]);
  });

  it("works in the workspace, which it may ask for", async () => {
    const { call, place } = await connect([stdioServer("x")]);
    expect((await call("mcp__x__roots")).output).toContain(`file://${place.root}`);
  });

  it.each([{}, { mode: "stubborn" }, { mode: "silent" }])(
    "is gone with its children when the run ends: %j",
    async (mode) => {
      const pids = path.join(folder(), "pids");
      const { connections } = await connect([stdioServer("x", { ...mode, pids })], { connectMs: 4_000 });
      const ids = readFileSync(pids, "utf8").split(" ").map(Number);
      await connections.close();
      expect(ids.filter(isRunning)).toEqual([]);
    },
  );

  it("can be paused and killed with the run", async () => {
    const { call, processes, unavailable } = await connect([stdioServer("x", {}, { timeout: 3_000 })]);
    processes[0]?.pause();
    expect(await call("mcp__x__echo", { text: "hi" })).toMatchObject({ outcome: "timed_out" });
    processes[0]?.resume();
    expect(await call("mcp__x__echo", { text: "hi" })).toMatchObject({ output: "echo: hi" });
    processes[0]?.kill();
    await vi.waitFor(() => expect(unavailable()).toMatchObject([{ reason: expect.stringContaining("SIGKILL") }]), WAIT);
  });
});

describe("a server over HTTP", () => {
  it("is called with its headers, whose values are variables", async () => {
    const { url, requests } = await startHttpServer({ token: "dummy-token-123" });
    const entry = { name: "web", url, transport: "streamable-http", headers: { Authorization: "Bearer $WEB_TOKEN" } };
    const environment = { ...process.env, WEB_TOKEN: "dummy-token-123" };
    const { call, connections } = await connect([entry], { environment });
    expect(await call("mcp__web__echo", { text: "hi" })).toMatchObject({ output: "echo: hi" });
    expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer dummy-token-123"]));
    await connections.close();
    expect(requests.at(-1)?.method).toBe("DELETE");
  });

  it("that refuses the request is told", async () => {
    const { url } = await startHttpServer({ token: "another" });
    const { unavailable } = await connect([{ name: "web", url, transport: "streamable-http" }]);
    expect(unavailable()).toMatchObject([{ reason: expect.stringContaining("status 401. Set a header") }]);
  });

  it("cannot send us to another address", async () => {
    const other = await startHttpServer();
    const { url } = await startHttpServer({ redirect: other.url });
    const { unavailable } = await connect([{ name: "web", url, transport: "streamable-http" }]);
    expect(unavailable()).toHaveLength(1);
    expect(other.requests).toEqual([]);
  });

  it("cannot fill the memory with one answer", async () => {
    const { url } = await startHttpServer();
    const { call } = await connect([{ name: "web", url, transport: "streamable-http" }]);
    const { error } = await call("mcp__web__huge", { bytes: 40 * 1024 * 1024 });
    expect(error).toContain("larger than 16 MiB");
    expect(await call("mcp__web__echo", { text: "ok" })).toMatchObject({ output: "echo: ok" });
  });
});

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "spoor-mcp-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
