import type { SettingsFacts } from "../../agents/agent-about.ts";
import type { Format } from "./settings-format.ts";

/** Imports the parser of a settings format on demand, because few runs touch an agent's settings. */
export const loadFormat = (name: SettingsFacts["format"]): Promise<Format> => loaders[name]();

const loaders: Readonly<Record<SettingsFacts["format"], () => Promise<Format>>> = {
  json: async () => (await import("./json-format.ts")).json,
  jsonc: async () => (await import("./json-format.ts")).jsonc,
  toml: async () => (await import("./toml-format.ts")).toml,
};
