import type { Adapter } from "../../agents/machine.ts";
import { findAgent } from "../find-agent.ts";
import type { Surroundings } from "../locate.ts";
import { type AuthState, authStateOf } from "./state.ts";

export interface Auth {
  check(agent: string): Promise<AuthState>;
  checkAll(): Promise<AuthState[]>;
  /** How to sign in to an agent: one line for each way there is. */
  setup(agent: string): string[];
}

/** Whether agents have credentials, told by signs of them. No secret is ever read, and nobody is asked over the net. */
export function createAuth({ adapters, ...around }: { adapters: Iterable<Adapter> } & Surroundings): Auth {
  return {
    check: async (agent) => authStateOf(findAgent(adapters, agent), around),
    checkAll: () => Promise.all([...adapters].map((adapter) => authStateOf(adapter, around))),
    setup: (agent) => findAgent(adapters, agent).about?.auth?.methods.map(({ title, how }) => `${title}: ${how}`) ?? [],
  };
}
