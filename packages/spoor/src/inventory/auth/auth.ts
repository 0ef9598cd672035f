import type { Adapter } from "../../agents/machine.ts";
import { findAgent } from "../find-agent.ts";
import type { LookupContext } from "../locate.ts";
import { type AuthState, authStateOf } from "./auth-state.ts";

/** Finds out whether agents have credentials, and how to log in. */
export interface Auth {
  /** Looks for credentials of one agent. */
  check(agent: string): Promise<AuthState>;
  /** Looks for credentials of every agent. */
  checkAll(): Promise<AuthState[]>;
  /** Returns one line for each way to sign in to the agent. */
  setup(agent: string): string[];
}

/**
 * Checks for variables and files that hold credentials of agents. Reads no secret and uses no network.
 *
 * @example
 * const auth = createAuth({ adapters });
 * for (const { agent, status } of await auth.checkAll()) console.log(agent, status);
 * console.log(auth.setup("codex").join("\n"));
 */
export function createAuth({ adapters, ...context }: { adapters: Iterable<Adapter> } & LookupContext): Auth {
  return {
    check: async (agent) => authStateOf(findAgent(adapters, agent), context),
    checkAll: () => Promise.all([...adapters].map((adapter) => authStateOf(adapter, context))),
    setup: (agent) => findAgent(adapters, agent).about?.auth?.methods.map(({ title, how }) => `${title}: ${how}`) ?? [],
  };
}
