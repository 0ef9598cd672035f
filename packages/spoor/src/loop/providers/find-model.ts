import { SpoorError, ValidationError } from "../../failures/errors.ts";
import { nearest } from "../../inventory/nearest-names.ts";
import { configuredProviders, isNamed } from "./configured.ts";
import { guard } from "./guard.ts";
import { canUseTools, contextTokensOf } from "./models.ts";
import type { LoopModel, Provider } from "./provider.ts";
import { knownProviders } from "./table.ts";

/**
 * Finds a model by its name, such as `anthropic/claude-sonnet-4-5`. Throws a ValidationError for a name that no provider
 * has, and an AUTH_ERROR that names the variable if the provider's key is missing.
 */
export async function findModel(name: string, environment: NodeJS.ProcessEnv): Promise<LoopModel> {
  const { provider, id } = splitName(name, providersOf(environment));
  requireKey(provider, id, environment);
  const { api, prices, pricedAs, isLocal, returnsThinking } = provider;
  const facts = { id, ...(prices !== undefined && { prices }) };
  const [loaded, contextTokens] = await Promise.all([
    provider.load(id, environment),
    provider.contextTokens ?? contextTokensOf(facts),
  ]);
  return {
    ...{ name: `${provider.name}/${id}`, provider: provider.name, api, ...facts },
    ...(isLocal && { isLocal }),
    ...(pricedAs !== undefined && { pricedAs }),
    ...(returnsThinking && { returnsThinking }),
    ...{ contextTokens, canUseTools: canUseTools(id) },
    model: api === "demo" ? loaded : guard(loaded, provider, environment),
  };
}

/** Throws what `findModel` throws, without loading anything. */
export function checkModel(name: string, environment: NodeJS.ProcessEnv): void {
  const { provider, id } = splitName(name, providersOf(environment));
  requireKey(provider, id, environment);
  provider.check?.(id);
}

/** All providers. Those of the user's configuration come first, so that they can replace a known one. */
export function providersOf(environment: NodeJS.ProcessEnv): Provider[] {
  const own = configuredProviders(environment);
  return [...own, ...knownProviders.filter(({ name }) => own.every((other) => other.name !== name))];
}

function splitName(name: string, providers: readonly Provider[]): { provider: Provider; id: string } {
  const slash = name.indexOf("/");
  const first = slash < 0 ? owners.find(({ models }) => models.test(name))?.provider : name.slice(0, slash);
  const id = name.slice(slash + 1).trim();
  const provider = providers.find((one) => one.name === first);
  if (provider && id !== "") return { provider, id };
  throw new ValidationError([{ field: "model", message: problemWith(name, first, providers) }]);
}

function problemWith(name: string, first: string | undefined, providers: readonly Provider[]): string {
  const known = providers.map((provider) => provider.name);
  if (first !== undefined && known.includes(first)) return `"${name}" names no model. Write ${first}/<model>.`;
  if (first === undefined)
    return `"${name}" does not say which provider has the model. Write <provider>/${name || "<model>"}; providers: ${known.join(", ")}.`;
  const close = nearest(first, known).map((one) => `"${one}/${name.slice(first.length + 1)}"`);
  const hint = close.length > 0 ? ` Did you mean ${close.join(" or ")}?` : ` Providers: ${known.join(", ")}.`;
  return `No provider is called "${first}".${hint}`;
}

function requireKey({ name, title, keys, isKeyOptional }: Provider, id: string, environment: NodeJS.ProcessEnv): void {
  if (name === "openai-compatible" && !isNamed(environment)) {
    const message = `Set OPENAI_COMPATIBLE_BASE_URL to the address of the server that has ${name}/${id}.`;
    throw new SpoorError("AUTH_ERROR", message);
  }
  if (keys.length === 0 || isKeyOptional || keys.some((key) => environment[key])) return;
  const message = `${name}/${id} needs a key of ${title}. Set ${keys.join(" or ")} in the environment.`;
  throw new SpoorError("AUTH_ERROR", message);
}

/** Names without a provider that only one company gives its models. */
const owners: readonly { models: RegExp; provider: string }[] = [
  { models: /^claude-/, provider: "anthropic" },
  { models: /^(gpt-(?!oss)|o\d|codex-|chatgpt-)/, provider: "openai" },
  { models: /^gemini-/, provider: "google" },
];
