import { expect, it } from "vitest";
import { adapters } from "../../agents/registry.ts";
import { createModels } from "./models.ts";

const models = createModels({ adapters });

it("lists what the agent names before what its provider sells besides", async () => {
  const listed = await models.list("codex");
  expect(listed[0]).toMatchObject({ id: "gpt-6.1-sol", source: "agent", contextWindow: 272_000 });
  expect(listed.map(({ source }) => source)).toEqual([
    ...listed.filter(({ source }) => source === "agent").map(() => "agent"),
    ...listed.filter(({ source }) => source === "prices").map(() => "prices"),
  ]);
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
  expect(listed.some(({ id }) => /embedding|whisper|image/.test(id))).toBe(false);
});

it("adds prices to what the agent names", async () => {
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

it("tells what it knows of a name", async () => {
  expect(await models.validate("claude", "opus")).toMatchObject({ status: "alias", valid: true });
  expect(await models.validate("claude", "opusplan")).toEqual({ status: "alias", valid: true, suggestions: [] });
  expect(await models.validate("claude", "claude-opus-4-8")).toMatchObject({ status: "ok", valid: true });
  expect(await models.validate("claude", "claude-sonnet-4-5-20250929")).toMatchObject({
    status: "ok",
    model: { id: "claude-sonnet-4-5" },
  });
});

it("warns of a name nobody has heard of, and suggests at most five", async () => {
  const check = await models.validate("claude", "claude-opus-5-6");
  expect(check).toMatchObject({ status: "unknown", valid: false });
  expect(check.suggestions).toContain("claude-opus-5-5");
  expect(check.suggestions.length).toBeLessThanOrEqual(5);
  expect(check.warning).toContain("The agent may know it.");
  expect(await models.validate("acp", "anything")).toMatchObject({ status: "unknown", suggestions: [] });
  expect(await models.validate("claude", "")).toMatchObject({ status: "unknown", suggestions: [] });
});

it("says that a model is deprecated", async () => {
  const all = await Promise.all(adapters.map(async ({ name }) => ({ name, listed: await models.list(name) })));
  const old = all.flatMap(({ name, listed }) =>
    listed.filter(({ isDeprecated }) => isDeprecated).map(({ id }) => [name, id]),
  );
  for (const [agent = "", id = ""] of old) expect((await models.validate(agent, id)).status).toBe("deprecated");
});

it("names models with their provider where the agent does, and asks which where several have one", async () => {
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

it("estimates by list price, of aliases and of models with a provider too", async () => {
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
