import { expect, it } from "vitest";
import { adapters } from "../../agents/registry.ts";
import { createModels } from "./models.ts";

const models = createModels({ adapters });

it("lists the models that the agent names before the others of its provider", async () => {
  const listed = await models.list("codex");
  expect(listed[0]).toMatchObject({ id: "gpt-6.1-sol", source: "agent", contextWindow: 272_000 });
  expect(listed.map(({ source }) => source)).toEqual([
    ...listed.filter(({ source }) => source === "agent").map(() => "agent"),
    ...listed.filter(({ source }) => source === "prices").map(() => "prices"),
  ]);
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
  expect(listed.some(({ id }) => /embedding|whisper|image/.test(id))).toBe(false);
});

it("adds prices to the models that the agent names", async () => {
  expect(await models.get("codex", "gpt-5.5")).toMatchObject({
    source: "agent",
    provider: "openai",
    title: "GPT-5.5",
    contextWindow: 272_000,
    prices: { input: expect.any(Number) },
  });
});

it("resolves aliases, and leaves other names as they are", async () => {
  expect(models.resolve("claude", "opus")).toBe("claude-opus-5-5");
  expect(models.resolve("claude", "claude-opus-4-8")).toBe("claude-opus-4-8");
  expect(models.resolve("claude", "opusplan")).toBe("opusplan");
  expect(models.resolve("claude", "__proto__")).toBe("__proto__");
  expect(await models.get("claude", "opus")).toMatchObject({ aliases: ["best", "opus"], isDefault: true });
  expect(await models.defaultModel("claude")).toMatchObject({ id: "claude-opus-5-5" });
  expect(await models.defaultModel("codex")).toBeUndefined();
});

it("validates ids, aliases and dated releases", async () => {
  expect(await models.validate("claude", "opus")).toMatchObject({ status: "alias", valid: true });
  expect(await models.validate("claude", "opusplan")).toEqual({ status: "alias", valid: true, suggestions: [] });
  expect(await models.validate("claude", "claude-opus-4-8")).toMatchObject({ status: "ok", valid: true });
  expect(await models.validate("claude", "claude-sonnet-4-5-20250929")).toMatchObject({
    status: "ok",
    model: { id: "claude-sonnet-4-5" },
  });
});

it("warns about an unknown name and suggests at most five", async () => {
  const check = await models.validate("claude", "claude-opus-5-6");
  expect(check).toMatchObject({ status: "unknown", valid: false });
  expect(check.suggestions).toContain("claude-opus-5-5");
  expect(check.suggestions.length).toBeLessThanOrEqual(5);
  expect(check.warning).toContain("the agent may know it.");
  expect(await models.validate("acp", "anything")).toMatchObject({ status: "unknown", suggestions: [] });
  expect(await models.validate("claude", "")).toMatchObject({ status: "unknown", suggestions: [] });
});

it("reports a deprecated model", async () => {
  const all = await Promise.all(adapters.map(async ({ name }) => ({ name, listed: await models.list(name) })));
  const old = all.flatMap(({ name, listed }) =>
    listed.filter(({ isDeprecated }) => isDeprecated).map(({ id }) => [name, id]),
  );
  for (const [agent = "", id = ""] of old) expect((await models.validate(agent, id)).status).toBe("deprecated");
});

it("prefixes models with their provider where the agent does, and reports a name that several providers offer", async () => {
  expect(await models.get("pi", "anthropic/claude-opus-5-5")).toMatchObject({ provider: "anthropic" });
  expect(await models.validate("pi", "deepseek-reasoner")).toMatchObject({
    status: "ok",
    model: { id: "deepseek/deepseek-reasoner" },
  });
  const listed = await models.list("pi");
  const bare = listed.map(({ id }) => id.slice(id.indexOf("/") + 1));
  const shared = bare.find((id, index) => bare.indexOf(id) !== index);
  if (shared !== undefined)
    expect(await models.validate("pi", shared)).toMatchObject({ status: "ambiguous", valid: false });
});

it("estimates costs by list price, also for aliases and for models with a provider", async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
  const cost = await models.estimateCost("claude", "claude-opus-5-5", usage);
  expect(cost).toBeGreaterThan(0);
  expect(await models.estimateCost("claude", "opus", usage)).toBe(cost);
  expect(await models.estimateCost("pi", "anthropic/claude-opus-5-5", usage)).toBe(cost);
  const cached = await models.estimateCost("claude", "opus", { ...usage, cachedTokens: 900_000 });
  expect(cached).toBeLessThan(cost ?? 0);
  await expect(models.estimateCost("claude", "opus", { ...usage, inputTokens: -1 })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  expect(await models.estimateCost("claude", "no-such-model", usage)).toBeUndefined();
  expect(await models.estimateCost("pi", "nobody/claude-opus-5-5", usage)).toBeUndefined();
});
