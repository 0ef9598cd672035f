import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { SpoorError, ValidationError } from "../../failures/errors.ts";
import { readLayer } from "../../options/config/configuration-files.ts";
import { checkModel, findModel } from "./find-model.ts";
import { listProviders } from "./list-providers.ts";
import { contextTokensOf, knownContexts } from "./models.ts";
import { loadModelPrices } from "./prices.ts";

const KEY = "dummy-key-0123456789";
const keys = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, GEMINI_API_KEY: KEY, OPENROUTER_API_KEY: KEY };

/** A private user's folder with this configuration. */
function homeWith(configuration: unknown): string {
  const home = mkdtempSync(path.join(tmpdir(), "spoor-providers-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(path.join(home, "config.json"), JSON.stringify(configuration));
  return home;
}

describe("a model's name", () => {
  test.each([
    ["anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
    ["gpt-5.5", "openai", "gpt-5.5"],
    ["o3", "openai", "o3"],
    ["gemini-3-pro-preview", "google", "gemini-3-pro-preview"],
    ["openrouter/anthropic/claude-sonnet-4.5", "openrouter", "anthropic/claude-sonnet-4.5"],
    ["ollama/qwen3:8b", "ollama", "qwen3:8b"],
  ])("%s is a model of %s", async (name, provider, id) => {
    expect(await findModel(name, keys)).toMatchObject({ name: `${provider}/${id}`, provider, id });
  });

  test.each([
    ["antropic/claude-sonnet-4-5", /No provider is called "antropic"\. Did you mean "anthropic\/claude-sonnet-4-5"\?/],
    ["nowhere-at-all/x", /No provider is called "nowhere-at-all"\. Providers: .*anthropic/],
    ["llama3", /"llama3" does not say which provider has the model\. Write <provider>\/llama3/],
    ["anthropic/", /"anthropic\/" names no model\. Write anthropic\/<model>\./],
    ["", /does not say which provider/],
  ])("%j is refused with a hint", (name, message) => {
    expect(() => checkModel(name, keys)).toThrow(ValidationError);
    expect(() => checkModel(name, keys)).toThrow(message);
  });

  test("needs the provider's key, and the error names the variable", async () => {
    const error = await findModel("google/gemini-2.5-pro", {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SpoorError);
    expect(error).toMatchObject({ code: "AUTH_ERROR" });
    expect(String(error)).toContain("Set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY in the environment.");
    expect(() => checkModel("openai-compatible/m", {})).toThrow("Set OPENAI_COMPATIBLE_BASE_URL");
    expect(() => checkModel("openai/gpt-5.5", { OPENAI_API_KEY: "" })).toThrow("Set OPENAI_API_KEY");
  });

  test("a broken address is refused without repeating it, since it can hold a password", async () => {
    const environment = { ...keys, OPENAI_BASE_URL: "ftp://user:hunter2@host" };
    const error = await findModel("gpt-5.5", environment).catch(String);
    expect(error).toContain("OPENAI_BASE_URL must hold an address");
    expect(error).not.toContain("hunter2");
  });
});

describe("the user's configuration", () => {
  test("adds servers, with their key in a variable", async () => {
    const providers = { mine: { baseUrl: "http://127.0.0.1:9/v1", key: "MINE_KEY", contextTokens: 32_000 } };
    const SPOOR_HOME = homeWith({ providers });
    expect(() => checkModel("mine/m", { SPOOR_HOME })).toThrow("Set MINE_KEY in the environment.");
    const model = await findModel("mine/m", { SPOOR_HOME, MINE_KEY: KEY });
    expect(model).toMatchObject({ name: "mine/m", api: "compatible", contextTokens: 32_000 });
    expect(listProviders({ SPOOR_HOME })[0]).toMatchObject({ name: "mine", keys: ["MINE_KEY"], isConfigured: false });
  });

  test.each([
    [{ mine: { key: "K" } }, "providers.mine.baseUrl must be an address"],
    [{ mine: { baseUrl: "http://h", key: KEY } }, "providers.mine.key must be the name of a variable"],
    [{ "My One": { baseUrl: "http://h" } }, "must have a name of small letters"],
    [{ mine: { baseUrl: "http://h", more: 1 } }, "providers.mine.more is not known"],
    [[], "providers must be an object"],
  ])("is refused if it is wrong: %j", (providers, message) => {
    const read = () => listProviders({ SPOOR_HOME: homeWith({ providers }) });
    expect(read).toThrow(message);
    expect(read).not.toThrow(KEY);
  });

  test("is the only place for servers: a project cannot name one", () => {
    const project = homeWith({ providers: { mine: { baseUrl: "https://elsewhere.example" } } });
    const read = () => readLayer(path.join(project, "config.json"), { global: "/nowhere", project });
    expect(read).toThrow("providers receive what a run reads, so only your own configuration can define them.");
  });
});

describe("the list of providers", () => {
  test("says which keys are there, and never holds one", () => {
    const listed = listProviders({ GEMINI_API_KEY: KEY });
    const configured = listed.filter(({ isConfigured }) => isConfigured).map(({ name }) => name);
    expect(configured).toEqual(["google", "ollama", "lmstudio", "demo"]);
    expect(listed.find(({ name }) => name === "google")).toMatchObject({ key: "GEMINI_API_KEY", isLocal: false });
    expect(JSON.stringify(listed)).not.toContain(KEY);
  });

  test("counts the server of OPENAI_COMPATIBLE_BASE_URL as configured, with or without a key", () => {
    const isConfigured = (environment: NodeJS.ProcessEnv) =>
      listProviders(environment).find(({ name }) => name === "openai-compatible")?.isConfigured;
    expect(isConfigured({ OPENAI_COMPATIBLE_API_KEY: KEY })).toBe(false);
    expect(isConfigured({ OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9" })).toBe(true);
  });
});

describe("what is known about a model", () => {
  test.each([
    ["anthropic/claude-sonnet-4-5", 200_000],
    ["anthropic/claude-opus-5-5", 1_000_000],
    ["openai/gpt-5", 400_000],
    ["google/gemini-2.5-pro", 1_048_576],
    ["google/gemini-3-pro-preview", 1_048_576],
    ["ollama/qwen3:8b", undefined],
  ])("%s takes %s tokens", async (name, tokens) => {
    expect((await findModel(name, keys)).contextTokens).toBe(tokens);
  });

  test("our own list holds only models whose context the list of prices does not know", async () => {
    const { findProvider } = await import("@pydantic/genai-prices");
    const models = ["anthropic", "openai", "google"].flatMap(
      (providerId) => findProvider({ providerId })?.models ?? [],
    );
    for (const { models: pattern } of knownContexts) {
      const matching = models.filter(({ id }) => pattern.test(id));
      expect(matching.length).toBeGreaterThan(0);
      expect(matching.filter(({ context_window }) => context_window !== undefined)).toEqual([]);
    }
  });

  test.each([
    ["anthropic/claude-sonnet-4-5", true],
    ["anthropic/claude-2.1", false],
    ["openai/gpt-5.5", true],
    ["openai/o1-mini", false],
    ["openai/gpt-4o-transcribe", false],
    ["google/gemini-2.5-flash-image", false],
    ["google/gemma-3-27b-it", false],
    ["ollama/anything", true],
  ])("%s can use tools: %s", async (name, can) => {
    expect((await findModel(name, keys)).canUseTools).toBe(can);
  });

  test("prices are those of the provider; a model of this machine is free, an unknown server has no price", async () => {
    const tokens = { inputTokens: 1_000_000, outputTokens: 0 };
    const price = async (name: string, environment: NodeJS.ProcessEnv = keys) => {
      const model = await findModel(name, environment);
      return (await loadModelPrices(model))(model.id, tokens);
    };
    expect(await price("claude-sonnet-4-5")).toBeGreaterThan(1);
    expect(await price("openrouter/anthropic/claude-sonnet-4.5")).toBeGreaterThan(1);
    expect(await price("ollama/claude-sonnet-4-5")).toBe(0);
    const elsewhere = { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9" };
    expect(await price("openai-compatible/claude-sonnet-4-5", elsewhere)).toBeUndefined();
    expect(await contextTokensOf({ id: "no-such-model", prices: "anthropic" })).toBeUndefined();
  });
});
