import { isNamed } from "./configured.ts";
import { providersOf } from "./find-model.ts";

/** A provider as it is listed. It never holds a key. */
export interface ListedProvider {
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

/** Lists all providers, and says whose key is in the environment. */
export function listProviders(environment: NodeJS.ProcessEnv): ListedProvider[] {
  return providersOf(environment).map(({ name, title, keys, isKeyOptional = false, isLocal = false }) => {
    const key = keys.find((variable) => environment[variable]);
    const isReachable = name !== "openai-compatible" || isNamed(environment);
    const isConfigured = isReachable && (keys.length === 0 || isKeyOptional || key !== undefined);
    return { name, title, keys, ...(key !== undefined && { key }), isConfigured, isLocal };
  });
}
