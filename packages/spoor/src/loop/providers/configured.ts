import { findConfigFolders } from "../../options/config/config-folders.ts";
import { readProviders } from "../../options/config/configuration-files.ts";
import { completeAddress } from "./addresses.ts";
import type { Provider } from "./provider.ts";
import { loadCompatible } from "./table.ts";

/**
 * The servers that only this user knows: the one that two variables name, and those in the user's own configuration.
 * A workspace cannot add any, since it would then choose who reads its files.
 */
export function configuredProviders(environment: NodeJS.ProcessEnv): Provider[] {
  // The search for a project's folder is skipped.
  const folders = findConfigFolders({ cwd: "/", projectConfigDir: "", environment });
  const own = Object.entries(readProviders(folders)).map(([name, { baseUrl, key, title, contextTokens }]): Provider => {
    const address = completeAddress(baseUrl, { version: "/v1", isPathKept: true }, `providers.${name}.baseUrl`);
    return {
      ...{ name, title: title ?? name, api: "compatible", keys: key === undefined ? [] : [key], addresses: [] },
      ...(contextTokens !== undefined && { contextTokens }),
      load: (model, variables) => loadCompatible(name, address, key && variables[key], model),
    };
  });
  return [...own, byVariables];
}

/** Whether the variables that name a server are set. */
export const isNamed = (environment: NodeJS.ProcessEnv): boolean => !!environment.OPENAI_COMPATIBLE_BASE_URL;

const byVariables: Provider = {
  name: "openai-compatible",
  title: "The server at OPENAI_COMPATIBLE_BASE_URL",
  api: "compatible",
  keys: ["OPENAI_COMPATIBLE_API_KEY"],
  isKeyOptional: true,
  addresses: ["OPENAI_COMPATIBLE_BASE_URL"],
  load: (model, { OPENAI_COMPATIBLE_BASE_URL: address = "", OPENAI_COMPATIBLE_API_KEY: key }) => {
    const rule = { version: "/v1", isPathKept: true };
    const baseURL = completeAddress(address, rule, "OPENAI_COMPATIBLE_BASE_URL");
    return loadCompatible("openai-compatible", baseURL, key, model);
  },
};
