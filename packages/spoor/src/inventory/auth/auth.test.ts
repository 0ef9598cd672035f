import { expect, it } from "vitest";
import { privateHome } from "../../../testing/run/private-home.ts";
import { claude } from "../../agents/claude/index.ts";
import { adapters } from "../../agents/registry.ts";
import { createAuth } from "./auth.ts";
import { authStateOf } from "./state.ts";

it("takes a variable that is set as a sign, and an empty one as none", async () => {
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

it("takes a file that is there as a sign, unread", async () => {
  const home = privateHome({ ".codex/auth.json": "not even JSON" });
  const state = await createAuth({ adapters, ...home }).check("codex");
  expect(state).toMatchObject({ status: "found", signs: [{ method: "login", file: home.at(".codex/auth.json") }] });
});

it("looks where the agent was told to keep its files", async () => {
  const home = privateHome({ "elsewhere/auth.json": "{}" });
  const env = { ...home.env, CODEX_HOME: home.at("elsewhere") };
  expect((await createAuth({ adapters, ...home, env }).check("codex")).status).toBe("found");
});

it("is not taken in by the empty file pi makes before there is anything to keep", async () => {
  const home = privateHome({ ".pi/agent/auth.json": "{}" });
  expect((await createAuth({ adapters, ...home }).check("pi")).signs).toEqual([]);
  home.write(".pi/agent/auth.json", '{"anthropic":{}}');
  expect((await createAuth({ adapters, ...home }).check("pi")).status).toBe("found");
});

it("does not say that there are none where they may be out of sight", async () => {
  const home = privateHome();
  expect((await authStateOf(claude, { ...home, platform: "darwin" })).status).toBe("unknown");
  expect((await authStateOf(claude, { ...home, platform: "linux" })).status).toBe("not_found");
});

it("tells what to do for every agent it knows a way in to", async () => {
  const auth = createAuth({ adapters, ...privateHome() });
  const known = adapters.filter(({ about }) => about?.auth).map(({ name }) => name);
  const guided = (await auth.checkAll()).filter(({ guidance }) => guidance.length > 0).map(({ agent }) => agent);
  expect(guided).toEqual(known);
  expect(auth.setup("codex")).toContain("OpenAI account: Run `codex login`.");
});

it("knows no agent that is not there", async () => {
  await expect(createAuth({ adapters }).check("nobody")).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
});
