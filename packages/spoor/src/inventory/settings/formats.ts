import type { SettingsFacts } from "../../agents/agent-about.ts";

/** Settings as they are parsed. Objects have no prototype, so that a key in a file cannot pose as something else. */
export type SettingsValues = { [key: string]: unknown };

export interface Change {
  path: readonly string[];
  /** undefined takes the field out. */
  value: unknown;
}

export interface Format {
  title: string;
  /** The text of a file that says nothing. */
  empty: string;
  /** Throws, with the place, where the text is not of this format. */
  parse(text: string): SettingsValues;
  /** The text with one change made and everything else, comments too, left as it is. */
  edit(text: string, change: Change, changed: SettingsValues): string;
}

/** Parsers are loaded on demand: few runs touch an agent's settings. */
export const formats: Readonly<Record<SettingsFacts["format"], () => Promise<Format>>> = {
  json: async () => (await import("./json-format.ts")).json,
  jsonc: async () => (await import("./json-format.ts")).jsonc,
  toml: async () => (await import("./toml-format.ts")).toml,
};
