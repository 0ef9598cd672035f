import { existsSync } from "node:fs";
import type { FieldKind, McpFacts, SettingsFacts, SettingsScope } from "../../agents/agent-about.ts";
import type { Adapter } from "../../agents/machine.ts";
import { CapabilityError, ValidationError } from "../../failures/errors.ts";
import { findAgent } from "../find-agent.ts";
import { type LookupContext, locate } from "../locate.ts";
import { checkFields, isPlain, type SettingsProblem } from "./check-fields.ts";
import { isObject, readField, withChange } from "./fields.ts";
import type { SettingsLockOptions } from "./file-lock.ts";
import { type ConfiguredMcpServer, checkServer, fromEntry, type NewMcpServer, toEntry } from "./mcp-servers.ts";
import { editSettings, readSettings, type SettingsFile } from "./settings-file.ts";
import type { Change, SettingsValues } from "./settings-format.ts";

/** A dotted path, or a list of keys, which is needed for keys that contain a dot. */
export type SettingsPath = string | readonly string[];

/** Which settings of an agent are meant: those of the user (the default), of the project, or of this copy of it. */
export interface SettingsScopeOptions {
  /** Which settings file; the user's when absent. */
  scope?: SettingsScope;
}

/** Reads and edits the agents' own settings files. The values may be secrets: they are returned to the caller and never logged. */
export interface Settings {
  files(agent: string): { scope: SettingsScope; path: string; exists: boolean }[];
  get(agent: string, options?: SettingsScopeOptions): Promise<SettingsValues>;
  getField(agent: string, path: SettingsPath, options?: SettingsScopeOptions): Promise<unknown>;
  /** Sets several fields at once by dotted path. `undefined` removes a field; a list is replaced as a whole. */
  set(agent: string, fields: Record<string, unknown>, options?: SettingsScopeOptions): Promise<void>;
  setField(agent: string, path: SettingsPath, value: unknown, options?: SettingsScopeOptions): Promise<void>;
  removeField(agent: string, path: SettingsPath, options?: SettingsScopeOptions): Promise<void>;
  /** Returns the fields we know, by dotted path. */
  schema(agent: string): Readonly<Record<string, FieldKind>>;
  validate(agent: string, options?: SettingsScopeOptions): Promise<SettingsProblem[]>;
  getMcpServers(agent: string, options?: SettingsScopeOptions): Promise<ConfiguredMcpServer[]>;
  /** Adds an MCP server. Rejects a name that exists unless `replace` is set. */
  addMcpServer(
    agent: string,
    server: NewMcpServer,
    options?: SettingsScopeOptions & { replace?: boolean },
  ): Promise<void>;
  /** Removes an MCP server. Returns whether there was one. */
  removeMcpServer(agent: string, name: string, options?: SettingsScopeOptions): Promise<boolean>;
}

/** The agents whose settings are read, and where to look for the files. */
export type SettingsOptions = { adapters: Iterable<Adapter>; lock?: SettingsLockOptions } & LookupContext;

/**
 * Reads and changes the agents' own settings files. Keeps their comments and what it does not know.
 *
 * @example
 * const settings = createSettings({ adapters });
 * console.log(await settings.get("claude"));
 * await settings.setField("claude", "model", "opus", { scope: "project" });
 */
export function createSettings({ adapters, lock, ...context }: SettingsOptions): Settings {
  const factsOf = (agent: string): SettingsFacts => {
    const facts = findAgent(adapters, agent).about?.settings;
    if (!facts) throw new CapabilityError(agent, "settings", `Spoor does not know the settings files of ${agent}.`);
    return facts;
  };
  const mcpFactsOf = (agent: string): McpFacts => {
    const { mcp } = factsOf(agent);
    if (!mcp)
      throw new CapabilityError(
        agent,
        "mcp",
        `Spoor cannot configure MCP servers for ${agent}, because its settings have none.`,
      );
    return mcp;
  };
  const fileOf = (agent: string, files: SettingsFacts["files"], scope: SettingsScope = "user"): string => {
    const location = files[scope];
    if (location) return locate(location, context);
    const known = Object.keys(files).join(", ");
    throw new CapabilityError(
      agent,
      `${scope} settings`,
      `Spoor knows no ${scope} settings of ${agent}. Use one of these scopes: ${known}.`,
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
      if (path.length === 0 || path.includes(""))
        throw invalid(path.join("."), "The field name is empty. Give the name of a field.");
      if (value !== undefined && !isPlain(value)) {
        throw invalid(
          path.join("."),
          `${path.join(".")} must be text, a number, true, false, null, or a list or object of these.`,
        );
      }
    }
    const touches = (field: string) =>
      changes.some(({ path }) => isWithin(field, path) || isWithin(path.join("."), field));
    await editSettings(
      file,
      (settings) => {
        // Problems in fields that this call does not change must not block it.
        const problems = checkFields(changes.reduce(withChange, settings), facts).filter(({ field }) => touches(field));
        if (problems.length > 0) throw new ValidationError(problems);
        return changes;
      },
      lock,
    );
  };

  return {
    files: (agent) =>
      Object.entries(factsOf(agent).files).map(([scope, location]) => {
        const path = locate(location, context);
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
            throw invalid(
              "name",
              `${agent} already has an MCP server named "${server.name}". Remove it first, or choose another name.`,
            );
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
