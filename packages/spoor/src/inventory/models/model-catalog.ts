import type { ModelInfo, Provider } from "@pydantic/genai-prices";
import type { ModelFacts, NamedModel } from "../../agents/agent-about.ts";

/** A model that an agent can use. */
export interface CatalogModel {
  /** The id as the agent accepts it. */
  id: string;
  title?: string;
  aliases: string[];
  isDefault: boolean;
  /** The provider whose price list contains the model. */
  provider?: string;
  contextWindow?: number;
  isDeprecated?: true;
  thinkingEffortLevels?: readonly string[];
  /** Dollars per million tokens, for short prompts where long ones cost more; absent where prices depend on the time. */
  prices?: Partial<Record<"input" | "output" | "cacheRead" | "cacheWrite", number>>;
  /** Where the id comes from: the agent's facts, or only the price list. */
  source: "agent" | "prices";
}

/** Lists the models of an agent: those it names, those its aliases stand for, then the others of its providers. */
export async function catalogOf(facts: ModelFacts): Promise<CatalogModel[]> {
  const { providers = [], named = [], aliases = {}, defaultModel, withProvider } = facts;
  const priced = providers.length === 0 ? [] : await pricedModels(facts);
  const implied = [defaultModel, ...Object.values(aliases)].filter((id) => id !== undefined);
  const own = [...named, ...[...new Set(implied)].map((id): NamedModel => ({ id }))];
  const first = own.filter(({ id }, index) => own.findIndex((other) => other.id === id) === index);

  const models = [
    ...first.map((model) => {
      const listed = priced.find(({ info }) => info.id === model.id);
      return { ...(listed && fromPrices(listed)), ...model, source: "agent" as const };
    }),
    ...priced
      .filter(({ info }) => !first.some(({ id }) => id === info.id))
      .map((listed) => ({ ...fromPrices(listed), source: "prices" as const })),
  ];
  return models.map(({ id, ...model }) => ({
    ...model,
    id: withProvider && model.provider ? `${model.provider}/${id}` : id,
    aliases: Object.keys(aliases).filter((alias) => aliases[alias] === id),
    isDefault: id === defaultModel,
  }));
}

interface Listed {
  provider: Provider;
  info: ModelInfo;
}

async function pricedModels({ providers = [] }: ModelFacts): Promise<Listed[]> {
  const { findProvider } = await import("@pydantic/genai-prices");
  return providers.flatMap(({ id, match = "" }) => {
    const provider = findProvider({ providerId: id });
    const wanted = new RegExp(match);
    return provider?.models.filter((info) => wanted.test(info.id)).map((info) => ({ provider, info })) ?? [];
  });
}

function fromPrices({ provider, info }: Listed): Omit<CatalogModel, "aliases" | "isDefault" | "source"> {
  const prices = pricesOf(info);
  return {
    id: info.id,
    provider: provider.id,
    ...(info.name !== undefined && { title: info.name }),
    ...(info.context_window !== undefined && { contextWindow: info.context_window }),
    ...(info.deprecated === true && { isDeprecated: true }),
    ...(prices && { prices }),
  };
}

function pricesOf({ prices }: ModelInfo): CatalogModel["prices"] {
  if (Array.isArray(prices)) return undefined;
  const flat = Object.entries(keys).flatMap(([name, key]) => {
    const price = prices[key];
    return price === undefined ? [] : [[name, typeof price === "number" ? price : price.base]];
  });
  return flat.length === 0 ? undefined : Object.fromEntries(flat);
}

const keys = {
  input: "input_mtok",
  output: "output_mtok",
  cacheRead: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
};
