import type { ModelFacts } from "../../agents/agent-about.ts";
import type { Adapter } from "../../agents/machine.ts";
import { findAgent } from "../find-agent.ts";
import { type CatalogModel, catalogOf } from "./model-catalog.ts";
import { costOf, type ModelUsage } from "./model-cost.ts";
import { type ModelCheck, validateModel } from "./validate-model.ts";

/** Answers questions about the models of agents. */
export interface Models {
  /** Lists the models the agent names, then the other models of its providers. */
  list(agent: string): Promise<CatalogModel[]>;
  /** Finds a model by id or alias. Returns undefined for an unknown model, which the agent may still accept. */
  get(agent: string, name: string): Promise<CatalogModel | undefined>;
  /** The model the agent uses when none is given, if known. */
  defaultModel(agent: string): Promise<CatalogModel | undefined>;
  /** Returns the model an alias stands for, or the name itself if it is not an alias. */
  resolve(agent: string, name: string): string;
  /** Checks a model name. An unknown model is only a warning, because agents support new models before our list has them. */
  validate(agent: string, name: string): Promise<ModelCheck>;
  /** Returns the cost in dollars by list price, or undefined for a model without a price. */
  estimateCost(agent: string, name: string, usage: ModelUsage): Promise<number | undefined>;
}

/**
 * Answers questions about the agents' models from the adapters' facts and from a price list in this package.
 *
 * @example
 * const models = createModels({ adapters });
 * console.log(await models.defaultModel("claude"));
 * console.log(await models.estimateCost("claude", "sonnet", { inputTokens: 10_000, outputTokens: 2_000 }));
 */
export function createModels({ adapters }: { adapters: Iterable<Adapter> }): Models {
  const catalogs = new Map<Adapter, Promise<CatalogModel[]>>();
  const factsOf = (agent: string): ModelFacts => findAgent(adapters, agent).about?.models ?? {};
  const list = async (agent: string): Promise<CatalogModel[]> => {
    const adapter = findAgent(adapters, agent);
    const catalog = catalogs.get(adapter) ?? catalogOf(factsOf(agent));
    catalogs.set(adapter, catalog);
    return catalog;
  };
  const resolve = (agent: string, name: string): string => aliasesOf(factsOf(agent)).get(name) ?? name;
  const check = async (agent: string, name: string) => validateModel(name, factsOf(agent), await list(agent));

  return {
    list,
    resolve,
    validate: check,
    get: async (agent, name) => (await check(agent, name)).model,
    async defaultModel(agent) {
      return (await list(agent)).find(({ isDefault }) => isDefault);
    },
    async estimateCost(agent, name, usage) {
      const id = resolve(agent, name);
      const slash = factsOf(agent).withProvider ? id.indexOf("/") : -1;
      return costOf(id.slice(slash + 1), usage, slash < 0 ? undefined : id.slice(0, slash));
    },
  };
}

const aliasesOf = ({ aliases = {} }: ModelFacts): Map<string, string | undefined> => new Map(Object.entries(aliases));
