import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { privateHome } from "../../../testing/run/private-home.ts";
import { adapters } from "../../agents/registry.ts";
import { createSettings } from "./settings.ts";

const open = (files?: Parameters<typeof privateHome>[0], lock = {}) => {
  const home = privateHome(files);
  return { ...home, settings: createSettings({ adapters, ...home, lock }) };
};

describe("reading", () => {
  it("returns no settings when the file does not exist", async () => {
    const { settings } = open();
    expect(await settings.get("claude")).toEqual({});
    expect(await settings.getField("codex", "model")).toBeUndefined();
    expect(await settings.getMcpServers("gemini")).toEqual([]);
    expect(await settings.validate("pi")).toEqual([]);
  });

  it("reads JSON, JSON with comments, and TOML", async () => {
    const { settings } = open({
      ".claude/settings.json": '\uFEFF{"model": "opus", "permissions": {"allow": ["Read"]}}',
      ".gemini/settings.json": '{\n  // quiet\n  "ide": { "enabled": false }\n}',
      ".codex/config.toml": 'model = "gpt-5.5"\n[features]\nplugins = false\n',
    });
    expect(await settings.getField("claude", "permissions.allow")).toEqual(["Read"]);
    expect(await settings.getField("gemini", "ide.enabled")).toBe(false);
    expect(await settings.getField("codex", ["features", "plugins"])).toBe(false);
    expect(await settings.getField("codex", "constructor.name")).toBeUndefined();
  });

  it("reads the project's settings on request, and lists the files", async () => {
    const { settings, at } = open({ "project/.gemini/settings.json": '{"general":{}}' });
    expect(await settings.get("gemini", { scope: "project" })).toEqual({ general: {} });
    expect(settings.files("gemini")).toEqual([
      { scope: "user", path: at(".gemini/settings.json"), exists: false },
      { scope: "project", path: at("project/.gemini/settings.json"), exists: true },
    ]);
  });

  it("reports invalid values of known fields, and accepts unknown fields", async () => {
    const { settings } = open({ ".pi/agent/settings.json": '{"theme": 7, "steeringMode": "some", "ours": {}}' });
    expect(await settings.validate("pi")).toEqual([
      expect.objectContaining({ field: "steeringMode", expected: "one of all, one-at-a-time" }),
      expect.objectContaining({ field: "theme", expected: "text" }),
    ]);
  });

  it("returns only the names of variables and headers of MCP servers", async () => {
    const { settings } = open({
      ".claude.json": JSON.stringify({
        mcpServers: {
          local: { type: "stdio", command: "node", args: ["x.mjs"], env: { TOKEN: "secret" } },
          web: { type: "http", url: "https://example.test/mcp", headers: { Authorization: "secret" } },
          odd: 7,
        },
      }),
    });
    expect(await settings.getMcpServers("claude")).toEqual([
      { name: "local", transport: "stdio", command: "node", args: ["x.mjs"], envKeys: ["TOKEN"] },
      { name: "web", transport: "streamable-http", url: "https://example.test/mcp", headerKeys: ["Authorization"] },
      { name: "odd", transport: "unknown" },
    ]);
  });
});

describe("writing", () => {
  it("changes only the given field, and keeps comments, order, indentation and line endings", async () => {
    const before =
      '{\r\n    // why\r\n    "b": 1,\r\n    "ide": { "enabled": true }, /* here */\r\n    "a": [1,2]\r\n}\r\n';
    const { settings, read } = open({ ".gemini/settings.json": before });
    await settings.setField("gemini", "ide.enabled", false);
    expect(read(".gemini/settings.json")).toBe(before.replace("true", "false"));
    await settings.setField("gemini", "general.maxAttempts", 3);
    await settings.removeField("gemini", "general");
    expect(read(".gemini/settings.json")).toBe(before.replace("true", "false"));
  });

  it("does the same in TOML", async () => {
    const before =
      '# mine\nmodel = "gpt-5.5"   # the good one\n\n[projects."/home/user"]\ntrust_level = "trusted"\n# end\n';
    const { settings, read } = open({ ".codex/config.toml": before });
    await settings.setField("codex", "model", "gpt-6-sol");
    expect(read(".codex/config.toml")).toBe(before.replace("gpt-5.5", "gpt-6-sol"));
    await settings.set("codex", { check_for_update_on_startup: false, "features.plugins": false });
    expect(read(".codex/config.toml")).toContain('model = "gpt-6-sol"   # the good one\n');
    expect(await settings.get("codex")).toMatchObject({
      check_for_update_on_startup: false,
      features: { plugins: false },
      projects: { "/home/user": { trust_level: "trusted" } },
    });
  });

  it("creates a missing file that only its owner can read", async () => {
    const { settings, read, at } = open();
    await settings.setField("claude", "model", "opus");
    expect(JSON.parse(read(".claude/settings.json"))).toEqual({ model: "opus" });
    if (process.platform !== "win32") expect(statSync(at(".claude/settings.json")).mode & 0o077).toBe(0);
    expect(readdirSync(at(".claude"))).toEqual(["settings.json"]);
  });

  it.skipIf(process.platform === "win32")("keeps the file's mode, its byte order mark, and a link to it", async () => {
    const { settings, read, at } = open({ "dotfiles/claude.json": "\uFEFF{}" });
    chmodSync(at("dotfiles/claude.json"), 0o644);
    mkdirSync(at(".claude"));
    symlinkSync(at("dotfiles/claude.json"), at(".claude/settings.json"));
    await settings.setField("claude", "model", "opus");
    expect(lstatSync(at(".claude/settings.json")).isSymbolicLink()).toBe(true);
    expect(read("dotfiles/claude.json")).toMatch(/^\uFEFF\{\s*"model": "opus"\s*\}$/);
    expect(statSync(at("dotfiles/claude.json")).mode & 0o777).toBe(0o644);
  });

  it("does not write when the value is already set", async () => {
    const { settings, at } = open({ ".claude/settings.json": '{"model":"opus"}' });
    utimesSync(at(".claude/settings.json"), 1, 1);
    await settings.setField("claude", "model", "opus");
    await settings.removeField("claude", "env.NAME");
    expect(statSync(at(".claude/settings.json")).mtimeMs).toBe(1000);
  });

  it("rejects values of the wrong type and leaves the file unchanged", async () => {
    const { settings, at } = open();
    for (const [field, value] of [
      ["model", 7],
      ["permissions", { allow: "Read" }],
      ["permissions.allow", "Read"],
      ["env", new Date()],
      ["anything", () => {}],
      ["anything", Number.NaN],
      ["", "x"],
    ] as const) {
      await expect(settings.setField("claude", field, value), field).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
      });
    }
    await settings.removeField("claude", "model");
    expect(existsSync(at(".claude"))).toBe(false);
  });

  it("ignores problems in fields that it does not change", async () => {
    const { settings, read } = open({ ".pi/agent/settings.json": '{"theme": 7}' });
    await settings.setField("pi", "quietStartup", true);
    expect(JSON.parse(read(".pi/agent/settings.json"))).toEqual({ theme: 7, quietStartup: true });
  });

  it("treats __proto__ as an ordinary key", async () => {
    const { settings } = open({ ".claude/settings.json": '{"__proto__": {"model": "x"}}' });
    expect(await settings.getField("claude", "model")).toBeUndefined();
    await settings.setField("claude", "env.__proto__", "y");
    expect(await settings.getField("claude", ["env", "__proto__"])).toBe("y");
    expect(({} as Record<string, unknown>).model).toBeUndefined();
  });
});

describe("MCP servers", () => {
  const local = { name: "local", command: "node", args: ["x.mjs", "--y"], env: { NAME: "value" } };
  const web = {
    name: "web",
    transport: "streamable-http" as const,
    url: "https://example.test/mcp",
    headers: { "X-A": "b" },
  };

  it.each(["claude", "codex", "gemini", "qwen"])("are added to, listed by and removed from %s", async (agent) => {
    const { settings } = open();
    await settings.addMcpServer(agent, local);
    await settings.addMcpServer(agent, web);
    expect(await settings.getMcpServers(agent)).toEqual([
      { name: "local", transport: "stdio", command: "node", args: ["x.mjs", "--y"], envKeys: ["NAME"] },
      { name: "web", transport: "streamable-http", url: web.url, headerKeys: ["X-A"] },
    ]);
    await expect(settings.addMcpServer(agent, local)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    await settings.addMcpServer(agent, { ...local, command: "deno" }, { replace: true });
    expect(await settings.removeMcpServer(agent, "web")).toBe(true);
    expect(await settings.removeMcpServer(agent, "web")).toBe(false);
    expect(await settings.getMcpServers(agent)).toMatchObject([{ name: "local", command: "deno" }]);
  });

  it("are written in each agent's own format", async () => {
    const { settings, read } = open();
    for (const agent of ["claude", "gemini", "qwen"]) await settings.addMcpServer(agent, web);
    const { url, headers } = web;
    const written = (file: string) => JSON.parse(read(file)).mcpServers.web;
    expect(written(".claude.json")).toEqual({ type: "http", url, headers });
    expect(written(".gemini/settings.json")).toEqual({ type: "http", url, headers });
    expect(written(".qwen/settings.json")).toEqual({ httpUrl: url, headers });
  });

  it("are written to the project's file on request", async () => {
    const { settings, read } = open();
    await settings.addMcpServer("claude", local, { scope: "project" });
    expect(Object.keys(JSON.parse(read("project/.mcp.json")).mcpServers)).toEqual(["local"]);
    await expect(settings.addMcpServer("codex", local, { scope: "project" })).rejects.toMatchObject({
      code: "CAPABILITY_ERROR",
    });
  });

  it("are rejected when they are not valid", async () => {
    const { settings } = open();
    const invalid = { code: "VALIDATION_ERROR" };
    await expect(settings.addMcpServer("claude", { ...local, name: "a b" })).rejects.toMatchObject(invalid);
    await expect(settings.addMcpServer("claude", { ...local, command: "" })).rejects.toMatchObject(invalid);
    await expect(settings.addMcpServer("claude", { ...web, url: "file:///etc" })).rejects.toMatchObject(invalid);
    const wrong = [
      { command: "node" },
      { ...local, args: "x" },
      { ...local, env: { A: 1 } },
      { ...web, headers: { A: {} } },
    ];
    for (const server of wrong) {
      await expect(settings.addMcpServer("claude", server as typeof local)).rejects.toMatchObject(invalid);
    }
    const incapable = { code: "CAPABILITY_ERROR" };
    await expect(settings.addMcpServer("codex", { ...web, transport: "sse" })).rejects.toMatchObject(incapable);
    await expect(settings.getMcpServers("pi")).rejects.toMatchObject(incapable);
    await expect(settings.get("acp")).rejects.toMatchObject(incapable);
  });
});

describe("files that are broken or odd", () => {
  it.each([
    ["claude", ".claude/settings.json", '{"model": "opus",}'],
    ["claude", ".claude/settings.json", '{"model": "opus"'],
    ["claude", ".claude/settings.json", '// no\n{"model": "opus"}'],
    ["claude", ".claude/settings.json", ""],
    ["claude", ".claude/settings.json", "[1, 2]"],
    ["claude", ".claude/settings.json", "null"],
    ["claude", ".claude/settings.json", `{"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["codex", ".codex/config.toml", "model = \n"],
    ["codex", ".codex/config.toml", 'model = "a"\nmodel = "b"\n'],
    ["codex", ".codex/config.toml", "\0\0\0"],
    ["gemini", ".gemini/settings.json", new Uint8Array([0x7b, 0xff, 0x7d])],
  ])("are reported and never overwritten: %s %s %.40j", async (agent, name, content) => {
    const { settings, at, read } = open({ [name]: content });
    const before = read(name);
    const attempts = [
      () => settings.get(agent),
      () => settings.setField(agent, "ours", "x"),
      () => settings.removeField(agent, "ours"),
      () => settings.validate(agent),
    ];
    for (const attempt of attempts) {
      const message = expect.stringContaining(at(name));
      await expect(attempt()).rejects.toMatchObject({ code: "CONFIG_ERROR", message });
    }
    expect(read(name)).toBe(before);
    expect(existsSync(`${at(name)}.lock`)).toBe(false);
  });

  it("are reported with line and column", async () => {
    const { settings } = open({ ".claude/settings.json": '{\n  "a": 1\n  "b": 2\n}' });
    await expect(settings.get("claude")).rejects.toThrow("line 3, column 3");
  });

  it("are not quoted in errors, because they may contain secrets", async () => {
    const { settings } = open({ ".codex/config.toml": 'a = 1\ntoken = "sk-secret\n' });
    const error = await settings.get("codex").catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining("line 2") });
    expect(`${error} ${(error as Error).cause}`).not.toContain("sk-secret");
  });

  it("are not changed at a key that occurs twice", async () => {
    const text = '{"model": "a", "model": "b"}';
    const { settings, read } = open({ ".claude/settings.json": text });
    await expect(settings.setField("claude", "model", "c")).rejects.toMatchObject({ code: "CONFIG_ERROR" });
    expect(read(".claude/settings.json")).toBe(text);
  });

  it("keep a value that is not an object where one is needed", async () => {
    const { settings, read } = open({ ".qwen/settings.json": '{"ours": "text"}' });
    await expect(settings.setField("qwen", "ours.deeper", 1)).rejects.toThrow("ours is not an object");
    expect(read(".qwen/settings.json")).toBe('{"ours": "text"}');
  });

  it("may be folders", async () => {
    const { settings, at } = open();
    mkdirSync(at(".claude/settings.json"), { recursive: true });
    await expect(settings.get("claude")).rejects.toMatchObject({ code: "CONFIG_ERROR" });
    await expect(settings.setField("claude", "model", "x")).rejects.toMatchObject({ code: "CONFIG_ERROR" });
  });

  it("may have a file where their folder should be", async () => {
    const { settings } = open({ ".claude": "no folder" });
    await expect(settings.setField("claude", "model", "x")).rejects.toMatchObject({ code: "CONFIG_ERROR" });
  });
});

describe("the lock", () => {
  it("lets many writers change a file at once without losing a change", async () => {
    const { settings, read } = open({ ".claude.json": '{"kept": true}' }, { waitMs: 60_000 });
    const names = Array.from({ length: 20 }, (_, index) => `server-${index}`);
    await Promise.all(names.map((name) => settings.addMcpServer("claude", { name, command: "node" })));
    const written = JSON.parse(read(".claude.json"));
    expect(Object.keys(written.mcpServers).sort()).toEqual(names.sort());
    expect(written.kept).toBe(true);
  });

  it("is waited for until a timeout, and the error names the lock", async () => {
    const { settings, at } = open({ ".claude/settings.json": "{}" }, { waitMs: 50 });
    mkdirSync(at(".claude/settings.json.lock"));
    await expect(settings.setField("claude", "model", "x")).rejects.toMatchObject({
      code: "CONFIG_LOCK_ERROR",
      recoverable: true,
      message: expect.stringContaining("settings.json.lock"),
    });
    expect(existsSync(at(".claude/settings.json.lock"))).toBe(true);
  });

  it("is not removed if it is a folder with content, however old", async () => {
    const { settings, at } = open({ ".claude/settings.json.lock/kept": "" }, { waitMs: 50 });
    utimesSync(at(".claude/settings.json.lock"), 1, 1);
    await expect(settings.setField("claude", "model", "x")).rejects.toMatchObject({ code: "CONFIG_LOCK_ERROR" });
    expect(existsSync(at(".claude/settings.json.lock/kept"))).toBe(true);
  });

  it("of a process that died is taken over", async () => {
    const { settings, at, read } = open({ ".claude/settings.json": "{}" });
    mkdirSync(at(".claude/settings.json.lock"));
    utimesSync(at(".claude/settings.json.lock"), 1, 1);
    await settings.setField("claude", "model", "x");
    expect(JSON.parse(read(".claude/settings.json"))).toEqual({ model: "x" });
    expect(existsSync(at(".claude/settings.json.lock"))).toBe(false);
  });
});
