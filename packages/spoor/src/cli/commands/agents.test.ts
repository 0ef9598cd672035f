import { afterEach, expect, it, vi } from "vitest";
import { run } from "../../../testing/cli/run.ts";
import { privateHome } from "../../../testing/run/private-home.ts";
import { adapters } from "../../agents/registry.ts";

afterEach(() => vi.unstubAllEnvs());

const onPosix = it.skipIf(process.platform === "win32");

/** An environment in which no agent is installed or logged in, except by the test. */
function alone(env: Record<string, string> = {}) {
  const home = privateHome();
  for (const name of Object.keys(process.env)) if (/_(KEY|TOKEN)$/.test(name)) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({ HOME: home.home, PATH: home.at("bin"), ...env }))
    vi.stubEnv(name, value);
  return home;
}

it("lists every agent, what it can do, and how to install it", async () => {
  alone();
  const { code, stdout } = await run(["agents"]);
  expect(code).toBe(0);
  for (const { name } of adapters) expect(stdout).toMatch(new RegExp(`^${name} `, "m"));
  expect(stdout).toMatch(/^claude +– .* ask, resume, fork, MCP/m);
  expect(stdout).toMatch(/^ {2}codex +npm install -g @openai\/codex$/m);
});

onPosix("shows the version and where a sign of credentials is, and no secret", async () => {
  const home = alone({ OPENAI_API_KEY: "sk-secret" });
  home.write("bin/codex", "#!/bin/sh\necho codex-cli 0.100.0\n", 0o755);
  const { stdout } = await run(["agents"]);
  expect(stdout).toMatch(/^codex +0\.100\.0 \(older than 0\.166\.0\) +OPENAI_API_KEY /m);
  expect(stdout).not.toContain("sk-secret");
});

it("shows everything about one agent", async () => {
  const home = alone();
  const { code, stdout } = await run(["agents", "claude"]);
  expect(code).toBe(0);
  expect(stdout).toContain("Claude Code\n");
  expect(stdout).toContain("npm install -g @anthropic-ai/claude-code");
  expect(stdout).toContain("Run `claude auth login`.");
  expect(stdout).toContain(home.at(".claude/settings.json"));
  expect(stdout).toMatch(/^ {2}model aliases .*opus/m);
});

it("suggests the nearest names for an unknown agent", async () => {
  const { code, stderr } = await run(["agents", "cloude"]);
  expect(code).toBe(3);
  expect(stderr).toContain("Did you mean claude?");
});

it("prints the same as JSON, for all agents or for one", async () => {
  alone();
  const all = JSON.parse((await run(["agents", "--json"])).stdout);
  expect(all).toContainEqual(
    expect.objectContaining({
      agent: "claude",
      installed: false,
      capabilities: expect.objectContaining({ can_fork: true }),
      dialects: [expect.objectContaining({ name: "stream-json", runs: true, asks: true })],
    }),
  );
  const one = JSON.parse((await run(["agents", "codex", "--json"])).stdout);
  expect(one).toMatchObject({ agent: "codex", about: { vendor: "OpenAI" }, auth: { status: "not_found" } });
});
