import type { ModelFacts } from "../../agents/agent-about.ts";
import type { Adapter } from "../../agents/machine.ts";
import { findAgent } from "../find-agent.ts";
import { type CatalogModel, catalogOf } from "./catalog.ts";
import { costOf, type ModelUsage } from "./cost.ts";
import { type ModelCheck, validateModel } from "./validate.ts";

export interface Models {
  /** What the agent names itself first, then what its providers offer by the price list. */
  list(agent: string): Promise<CatalogModel[]>;
  /** By id or alias; undefined for one nobody has heard of, which the agent may know all the same. */
  get(agent: string, name: string): Promise<CatalogModel | undefined>;
  /** The one the agent takes when none is asked for, where that is known. */
  defaultModel(agent: string): Promise<CatalogModel | undefined>;
  /** What an alias stands for; any other name is itself. */
  resolve(agent: string, name: string): string;
  /** An unknown model is a warning: agents learn new ones before we do, and decide themselves. */
  validate(agent: string, name: string): Promise<ModelCheck>;
  /** In dollars by list price; undefined for a model without one. */
  estimateCost(agent: string, name: string, usage: ModelUsage): Promise<number | undefined>;
}

/** What is known of the agents' models, from their own facts and a price list that comes with this package. */
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
