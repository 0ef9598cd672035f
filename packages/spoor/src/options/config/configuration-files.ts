import { readFileSync } from "node:fs";
import path from "node:path";
import { type Problem, SpoorError } from "../../failures/errors.ts";
import { isObject, listOf, text } from "../checks.ts";
import type { OptionLayer } from "../merge.ts";
import { rowOf } from "../run-options.ts";
import { optionProblems } from "../validate.ts";
import type { ConfigFolders } from "./config-folders.ts";
import { type Hooks, hookProblems } from "./hooks.ts";
import { type ConfiguredProviders, providerProblems } from "./providers.ts";

/** Reads the configuration files of the project and of the user, the nearer first. A missing file sets nothing. */
export function readConfiguration(folders: ConfigFolders): OptionLayer[] {
  const { trustedProjects: _, hooks: __, providers: ___, ...global } = readGlobal(folders);
  if (folders.project === undefined) return [global];
  return [readLayer(path.join(folders.project, "config.json"), folders) ?? {}, global];
}

/** Reads the hooks of the user's configuration. */
export const readHooks = (folders: Pick<ConfigFolders, "global">): Hooks => readGlobal(folders).hooks ?? {};

/** Reads the servers of models in the user's configuration. */
export const readProviders = (folders: Pick<ConfigFolders, "global">): ConfiguredProviders =>
  readGlobal(folders).providers ?? {};

/** Reads a file of options. A file of a project may set what needs trust only if the user trusts the project. */
export function readLayer(file: string, folders: ConfigFolders): OptionLayer | undefined {
  const value = readObject(file);
  if (value === undefined) return undefined;
  for (const [field, reason] of Object.entries(onlyOwn)) {
    if (value[field] !== undefined) throwOn(file, [{ field, message: notHere(field, reason, folders) }]);
  }
  const layer = withoutAliases(value);
  throwOn(file, optionProblems(layer, "shared"));
  if (isOfProject(file, folders)) throwOn(file, trustProblems(layer, folders));
  return layer as OptionLayer;
}

/** What only the user's own configuration can define, with the reason. */
const onlyOwn = { hooks: "start programs", providers: "receive what a run reads" };

const notHere = (field: string, reason: string, { global }: ConfigFolders): string =>
  `${field} ${reason}, so only your own configuration can define them. Move them to ${path.join(global, "config.json")}.`;

interface GlobalConfiguration extends OptionLayer {
  trustedProjects?: string[];
  hooks?: Hooks;
  providers?: ConfiguredProviders;
}

function readGlobal(folders: Pick<ConfigFolders, "global">): GlobalConfiguration {
  const file = path.join(folders.global, "config.json");
  const { trustedProjects, hooks, providers, ...value } = readObject(file) ?? {};
  const layer = withoutAliases(value);
  throwOn(file, [
    ...optionProblems(layer, "shared"),
    ...(trustedProjects === undefined ? [] : listOf(text)(trustedProjects, "trustedProjects")),
    ...(hooks === undefined ? [] : hookProblems(hooks)),
    ...(providers === undefined ? [] : providerProblems(providers)),
  ]);
  return {
    ...layer,
    ...(trustedProjects !== undefined && { trustedProjects: trustedProjects as string[] }),
    ...(hooks !== undefined && { hooks: hooks as Hooks }),
    ...(providers !== undefined && { providers: providers as ConfiguredProviders }),
  };
}

/** Clients and configuration files may also say `defaultAgent` and `defaultModel`, as they do in similar tools. */
export function withoutAliases({
  defaultAgent,
  defaultModel,
  ...value
}: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(defaultAgent !== undefined && { agent: defaultAgent }),
    ...(defaultModel !== undefined && { model: defaultModel }),
    ...value,
  };
}

function trustProblems(layer: Record<string, unknown>, folders: ConfigFolders): Problem[] {
  const folder = path.dirname(folders.project ?? "");
  const needing = Object.keys(layer).filter((name) => needsTrust(name, layer[name]));
  if (needing.length === 0 || readGlobal(folders).trustedProjects?.includes(folder)) return [];
  const global = path.join(folders.global, "config.json");
  return needing.map((field) => ({
    field,
    message:
      `${field} decides what runs on this machine, so a project may set it only if you trust the project. ` +
      `Add ${JSON.stringify(folder)} to "trustedProjects" in ${global}, or set ${field} there.`,
  }));
}

function needsTrust(name: string, value: unknown): boolean {
  const rule = rowOf(name)?.needsTrust;
  return typeof rule === "function" ? rule(value) : rule === true;
}

const isOfProject = (file: string, { project }: ConfigFolders): boolean =>
  project !== undefined && file.startsWith(project + path.sep);

function readObject(file: string): Record<string, unknown> | undefined {
  let written: string;
  try {
    written = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where the folder is a file, there is no configuration. Whoever needs the folder says what is wrong with it.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new SpoorError("CONFIG_ERROR", `Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  try {
    const value: unknown = JSON.parse(written);
    if (isObject(value)) return value;
  } catch (error) {
    const message = `${file} is not valid JSON: ${(error as Error).message}`;
    throw new SpoorError("CONFIG_ERROR", message, { cause: error });
  }
  throw new SpoorError("CONFIG_ERROR", `${file} must hold one JSON object of options.`);
}

function throwOn(file: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new SpoorError("CONFIG_ERROR", problems.map(({ message }) => `${file}: ${message}`).join("\n"));
}
