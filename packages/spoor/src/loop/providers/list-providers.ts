import type { AgentProvider } from "../../inventory/agent-json.ts";
import { isNamed } from "./configured.ts";
import { providersOf } from "./find-model.ts";

/** Lists all providers, and says whose key is in the environment. */
export function listProviders(environment: NodeJS.ProcessEnv): AgentProvider[] {
  return providersOf(environment).map(({ name, title, keys, isKeyOptional = false, isLocal = false }) => {
    const key = keys.find((variable) => environment[variable]);
    const isReachable = name !== "openai-compatible" || isNamed(environment);
    const isConfigured = isReachable && (keys.length === 0 || isKeyOptional || key !== undefined);
    return { name, title, keys, ...(key !== undefined && { key }), isConfigured, isLocal };
  });
}
