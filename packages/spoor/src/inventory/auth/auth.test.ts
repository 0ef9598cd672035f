import { expect, it } from "vitest";
import { privateHome } from "../../../testing/run/private-home.ts";
import { claude } from "../../agents/claude/index.ts";
import { adapters } from "../../agents/registry.ts";
import { createAuth } from "./auth.ts";
import { authStateOf } from "./auth-state.ts";

it("counts a variable with a value as a credential, and an empty one as none", async () => {
  const home = privateHome();
  const signed = createAuth({ adapters, ...home, env: { ...home.env, GEMINI_API_KEY: "dummy-key" } });
  expect(await signed.check("gemini")).toMatchObject({
    status: "found",
    signs: [{ method: "api_key", variable: "GEMINI_API_KEY" }],
    guidance: [],
  });
  const empty = createAuth({ adapters, ...home, env: { ...home.env, GEMINI_API_KEY: "" } });
  expect(await empty.check("gemini")).toMatchObject({ status: "not_found", signs: [] });
});

it("counts an existing file as a credential without reading it", async () => {
  const home = privateHome({ ".codex/auth.json": "not even JSON" });
  const state = await createAuth({ adapters, ...home }).check("codex");
  expect(state).toMatchObject({ status: "found", signs: [{ method: "login", file: home.at(".codex/auth.json") }] });
});

it("looks in the folder that the agent's variables name", async () => {
  const home = privateHome({ "elsewhere/auth.json": "{}" });
  const env = { ...home.env, CODEX_HOME: home.at("elsewhere") };
  expect((await createAuth({ adapters, ...home, env }).check("codex")).status).toBe("found");
});

it("ignores the empty credential file that pi creates at its first start", async () => {
  const home = privateHome({ ".pi/agent/auth.json": "{}" });
  expect((await createAuth({ adapters, ...home }).check("pi")).signs).toEqual([]);
  home.write(".pi/agent/auth.json", '{"anthropic":{}}');
  expect((await createAuth({ adapters, ...home }).check("pi")).status).toBe("found");
});

it("reports unknown, not not_found, where credentials may be stored in a keychain", async () => {
  const home = privateHome();
  expect((await authStateOf(claude, { ...home, platform: "darwin" })).status).toBe("unknown");
  expect((await authStateOf(claude, { ...home, platform: "linux" })).status).toBe("not_found");
});

it("returns a sentence for every way to sign in", async () => {
  const auth = createAuth({ adapters, ...privateHome() });
  const known = adapters.filter(({ about }) => about?.auth).map(({ name }) => name);
  const guided = (await auth.checkAll()).filter(({ guidance }) => guidance.length > 0).map(({ agent }) => agent);
  expect(guided).toEqual(known);
  expect(auth.setup("codex")).toContain("OpenAI account: Run `codex login`.");
});

it("rejects an unknown agent", async () => {
  await expect(createAuth({ adapters }).check("nobody")).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
});
