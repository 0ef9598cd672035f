import type { AgentAbout } from "../agents/agent-about.ts";
import type { Adapter } from "../agents/machine.ts";
import { type AgentAbilities, controlsOf } from "./agent-controls.ts";
import { type Detected, detect } from "./detect.ts";
import { snakeCase } from "./snake-case.ts";

/** Everything that is known of an agent on this machine. */
export interface DescribedAgent extends Detected {
  about?: AgentAbout;
  controls?: AgentAbilities;
  /** The providers whose models the agent calls itself. Only our own loop has them. */
  providers?: readonly AgentProvider[];
}

/** A provider of models, and whether its key is in the environment. It never holds a key. */
export interface AgentProvider {
  name: string;
  title: string;
  /** The variables of which one must hold the key. Empty if none is needed. */
  keys: readonly string[];
  /** The variable that holds the key. */
  key?: string;
  /** Whether its models can be called as far as Spoor can see: nobody has asked the server. */
  isConfigured: boolean;
  /** The server runs on this machine. */
  isLocal: boolean;
}

/** Finds the agents on this machine, with what each can be held to. */
export const describeAgents = (adapters: readonly Adapter[]): Promise<DescribedAgent[]> =>
  Promise.all(
    adapters.map(async (adapter) => {
      const controls = controlsOf(adapter);
      return {
        ...(await detect(adapter)),
        ...(adapter.about && { about: adapter.about }),
        ...(controls && { controls }),
      };
    }),
  );

/** The form in which the command line and the server show an agent. */
export const agentJson = (agent: DescribedAgent): unknown => snakeCase(agent, ofAgents);

/** Keys in these fields are the agents' own names of models, settings and transports, so they stay unchanged. */
const ofAgents = { keyed: ["aliases", "fields", "marks"] };
