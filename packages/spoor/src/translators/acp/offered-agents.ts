import type { Ability, Adapter } from "../../agents/machine.ts";
import { capabilitiesOf } from "../../inventory/capabilities.ts";
import { createModels } from "../../inventory/models/models.ts";
import { inheritEnvironment } from "../../process/environment.ts";
import { resolveCommand } from "../../process/resolve-command.ts";
import type { OfferedKind } from "../../runtime/queue/executor.ts";

/** What happens to actions that need permission. */
export type Mode = "ask" | "auto" | "deny";

/** A model that can be chosen. */
export interface OfferedModel {
  id: string;
  title: string;
  contextSize?: number;
}

/** An agent that can be chosen in an editor. */
export interface OfferedAgent {
  name: string;
  title: string;
  modes: readonly Mode[];
  models: readonly OfferedModel[];
  /** Our own loop must be told a model; other agents have a default of their own. */
  needsModel: boolean;
  takesServers: boolean;
  takesRemoteServers: boolean;
}

/** Where agents are looked for. */
export interface OfferOptions {
  adapters: readonly Adapter[];
  /** Kinds of tasks of Spoor's own, such as `loop`. */
  kinds: readonly OfferedKind[];
  environment: NodeJS.ProcessEnv;
}

/** Finds the agents that are installed here. Starts no program. */
export async function findOfferedAgents({ adapters, kinds, environment }: OfferOptions): Promise<OfferedAgent[]> {
  const env = inheritEnvironment(environment);
  const models = createModels({ adapters });
  const described = await Promise.all(kinds.map(async (kind) => kind.describe?.()));
  const own = new Map(described.flatMap((agent) => (agent ? [[agent.agent, agent.providers ?? []]] : [])));
  const found = await Promise.all(
    adapters.map(async (adapter): Promise<OfferedAgent | undefined> => {
      const { name, title, dialects } = adapter;
      const command = dialects.find(({ live }) => live?.command)?.live?.command;
      const providers = own.get(name);
      if (!providers && !(command && resolveCommand(command, env))) return undefined;
      const takes = (ability: Ability) => dialects.some(({ live }) => live?.takes?.includes(ability));
      const configured = providers?.filter(({ isConfigured }) => isConfigured).map((provider) => provider.name);
      const listed = (await models.list(name)).filter(
        ({ id, isDeprecated }) =>
          !isDeprecated && (!configured || configured.some((provider) => id.startsWith(`${provider}/`))),
      );
      return {
        name,
        title,
        modes: capabilitiesOf(adapter).approvalModes,
        models: [
          ...listed.slice(0, MAX_MODELS).map(({ id, title: words, contextWindow }) => ({
            id,
            title: words ?? id,
            ...(contextWindow !== undefined && { contextSize: contextWindow }),
          })),
          ...(providers ? [{ id: "demo/tour", title: "Demo (a script, without a key)" }] : []),
        ],
        needsModel: providers !== undefined,
        takesServers: takes("mcpServers"),
        takesRemoteServers: takes("remoteMcpServers"),
      };
    }),
  );
  return found.filter((agent) => agent !== undefined);
}

/** A menu with more entries than this helps nobody. */
const MAX_MODELS = 40;
