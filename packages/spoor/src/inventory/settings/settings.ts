import { existsSync } from "node:fs";
import type { FieldKind, McpFacts, SettingsFacts, SettingsScope } from "../../agents/agent-about.ts";
import type { Adapter } from "../../agents/machine.ts";
import { CapabilityError, ValidationError } from "../../failures/errors.ts";
import { findAgent } from "../find-agent.ts";
import { locate, type Surroundings } from "../locate.ts";
import { checkFields, isPlain, type SettingsProblem } from "./check.ts";
import { isObject, readField, withChange } from "./fields.ts";
import type { Change, SettingsValues } from "./formats.ts";
import type { LockOptions } from "./lock.ts";
import { type ConfiguredMcpServer, checkServer, fromEntry, type NewMcpServer, toEntry } from "./mcp.ts";
import { editSettings, readSettings, type SettingsFile } from "./settings-file.ts";

/** Keys with a dot in them need the list. */
export type SettingsPath = string | readonly string[];

export interface SettingsScopeOptions {
  /** Whose settings: the user's when absent. */
  scope?: SettingsScope;
}

/** The agents' own settings files. What they say may hold secrets: it is told to nobody but the caller. */
export interface Settings {
  files(agent: string): { scope: SettingsScope; path: string; exists: boolean }[];
  get(agent: string, options?: SettingsScopeOptions): Promise<SettingsValues>;
  getField(agent: string, path: SettingsPath, options?: SettingsScopeOptions): Promise<unknown>;
  /** Sets several fields at once, by dotted path; undefined takes one out. Lists are replaced whole. */
  set(agent: string, fields: Record<string, unknown>, options?: SettingsScopeOptions): Promise<void>;
  setField(agent: string, path: SettingsPath, value: unknown, options?: SettingsScopeOptions): Promise<void>;
  removeField(agent: string, path: SettingsPath, options?: SettingsScopeOptions): Promise<void>;
  /** The fields we know of, by dotted path. */
  schema(agent: string): Readonly<Record<string, FieldKind>>;
  validate(agent: string, options?: SettingsScopeOptions): Promise<SettingsProblem[]>;
  getMcpServers(agent: string, options?: SettingsScopeOptions): Promise<ConfiguredMcpServer[]>;
  /** One of the same name is refused unless `replace` is set. */
  addMcpServer(
    agent: string,
    server: NewMcpServer,
    options?: SettingsScopeOptions & { replace?: boolean },
  ): Promise<void>;
  /** Whether there was one. */
  removeMcpServer(agent: string, name: string, options?: SettingsScopeOptions): Promise<boolean>;
}

export type SettingsOptions = { adapters: Iterable<Adapter>; lock?: LockOptions } & Surroundings;

export function createSettings({ adapters, lock, ...around }: SettingsOptions): Settings {
  const factsOf = (agent: string): SettingsFacts => {
    const facts = findAgent(adapters, agent).about?.settings;
    if (!facts) throw new CapabilityError(agent, "settings", `Nothing is known of the settings of ${agent}.`);
    return facts;
  };
  const mcpFactsOf = (agent: string): McpFacts => {
    const { mcp } = factsOf(agent);
    if (!mcp) throw new CapabilityError(agent, "mcp", `${agent} has no MCP servers in its settings.`);
    return mcp;
  };
  const fileOf = (agent: string, files: SettingsFacts["files"], scope: SettingsScope = "user"): string => {
    const place = files[scope];
    if (place) return locate(place, around);
    const known = Object.keys(files).join(", ");
    throw new CapabilityError(
      agent,
      `${scope} settings`,
      `${agent} has no ${scope} settings that we know. Known: ${known}.`,
    );
  };
  const settingsFile = (agent: string, { scope }: SettingsScopeOptions = {}): SettingsFile => {
    const { files, format } = factsOf(agent);
    return { path: fileOf(agent, files, scope), format };
  };
  const mcpFile = (agent: string, { scope }: SettingsScopeOptions = {}): SettingsFile => {
    const { files } = mcpFactsOf(agent);
    return files ? { path: fileOf(agent, files, scope), format: "json" } : settingsFile(agent, scope ? { scope } : {});
  };

  const change = async (agent: string, changes: Change[], options?: SettingsScopeOptions): Promise<void> => {
    const facts = factsOf(agent);
    const file = settingsFile(agent, options);
    for (const { path, value } of changes) {
      if (path.length === 0 || path.includes("")) throw invalid(path.join("."), "A field needs a name.");
      if (value !== undefined && !isPlain(value)) {
        throw invalid(path.join("."), `${path.join(".")} cannot be set to what is no plain value.`);
      }
    }
    const touches = (field: string) =>
      changes.some(({ path }) => isWithin(field, path) || isWithin(path.join("."), field));
    await editSettings(
      file,
      (settings) => {
        // What was wrong before is not ours to refuse.
        const problems = checkFields(changes.reduce(withChange, settings), facts).filter(({ field }) => touches(field));
        if (problems.length > 0) throw new ValidationError(problems);
        return changes;
      },
      lock,
    );
  };

  return {
    files: (agent) =>
      Object.entries(factsOf(agent).files).map(([scope, place]) => {
        const path = locate(place, around);
        return { scope: scope as SettingsScope, path, exists: existsSync(path) };
      }),
    get: async (agent, options) => readSettings(settingsFile(agent, options)),
    getField: async (agent, path, options) => readField(await readSettings(settingsFile(agent, options)), keys(path)),
    set: (agent, fields, options) =>
      change(
        agent,
        Object.entries(fields).map(([path, value]) => ({ path: keys(path), value })),
        options,
      ),
    setField: (agent, path, value, options) => change(agent, [{ path: keys(path), value }], options),
    removeField: (agent, path, options) => change(agent, [{ path: keys(path), value: undefined }], options),
    schema: (agent) => factsOf(agent).fields,
    validate: async (agent, options) => checkFields(await readSettings(settingsFile(agent, options)), factsOf(agent)),
    async getMcpServers(agent, options) {
      const facts = mcpFactsOf(agent);
      const servers = readField(await readSettings(mcpFile(agent, options)), [facts.field]);
      return isObject(servers) ? Object.entries(servers).map(([name, entry]) => fromEntry(name, entry, facts)) : [];
    },
    async addMcpServer(agent, server, { replace = false, ...options } = {}) {
      const facts = mcpFactsOf(agent);
      checkServer(server);
      const path = [facts.field, server.name];
      const value = toEntry(agent, server, facts);
      await editSettings(
        mcpFile(agent, options),
        (settings) => {
          if (!replace && readField(settings, path) !== undefined) {
            throw invalid("name", `${agent} already has an MCP server named "${server.name}".`);
          }
          return [{ path, value }];
        },
        lock,
      );
    },
    async removeMcpServer(agent, name, options) {
      const path = [mcpFactsOf(agent).field, name];
      const file = mcpFile(agent, options);
      if (readField(await readSettings(file), path) === undefined) return false;
      await editSettings(file, () => [{ path, value: undefined }], lock);
      return true;
    },
  };
}

const isWithin = (field: string, path: SettingsPath): boolean => `${field}.`.startsWith(`${keys(path).join(".")}.`);

const keys = (path: SettingsPath): readonly string[] => (typeof path === "string" ? path.split(".") : path);

const invalid = (field: string, message: string): ValidationError => new ValidationError([{ field, message }]);
