import { readdir } from "node:fs/promises";
import path from "node:path";
import type { PluginListing, SettingsFacts } from "../../agents/agent-about.ts";
import { SpoorError } from "../../failures/errors.ts";
import { type LookupContext, locate } from "../locate.ts";
import { isObject, readField } from "../settings/fields.ts";
import { readSettings } from "../settings/settings-file.ts";
import type { SettingsValues } from "../settings/settings-format.ts";

/** A plugin that is installed for an agent. */
export interface InstalledPlugin {
  id: string;
  version?: string;
  /** Absent where the agent does not record it. */
  enabled?: boolean;
  path?: string;
}

/** Lists the installed plugins of an agent. A missing file means no plugins; a file that cannot be read is an error. */
export async function listPlugins(
  listing: PluginListing,
  settings: SettingsFacts | undefined,
  context: LookupContext,
): Promise<InstalledPlugin[]> {
  switch (listing.in) {
    case "record": {
      const record = await readSettings({ path: locate(listing.file, context), format: "json" });
      const switches = listing.enabled && readField(await settingsOf(settings, context), [listing.enabled]);
      return entriesOf(readField(record, [listing.field])).map(([id, installations]) => ({
        id,
        ...describe(Array.isArray(installations) ? installations[0] : installations),
        ...(isObject(switches) && typeof switches[id] === "boolean" && { enabled: switches[id] }),
      }));
    }
    case "folders":
      return inFolders(locate(listing.folder, context), listing.manifest);
    case "list": {
      const sources = readField(await settingsOf(settings, context), [listing.field]);
      if (!Array.isArray(sources)) return [];
      return sources
        .map((entry: unknown) => (isObject(entry) ? entry.source : entry))
        .filter((source) => typeof source === "string")
        .map((id) => ({ id }));
    }
    case "table":
      return entriesOf(readField(await settingsOf(settings, context), [listing.field])).map(([id, entry]) => ({
        id,
        ...(isObject(entry) && typeof entry.enabled === "boolean" && { enabled: entry.enabled }),
      }));
  }
}

/** Every folder that contains the manifest is a plugin. */
async function inFolders(folder: string, manifest: string): Promise<InstalledPlugin[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new SpoorError("PLUGIN_ERROR", `Cannot read the plugin folder ${folder}: ${error.message}`, { cause: error });
  });
  const plugins = await Promise.all(
    found
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(async (entry): Promise<InstalledPlugin[]> => {
        const plugin = path.join(folder, entry.name);
        const content = await readSettings({ path: path.join(plugin, manifest), format: "json" });
        return typeof content.name === "string" ? [{ id: content.name, ...describe(content), path: plugin }] : [];
      }),
  );
  return plugins.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
}

function describe(entry: unknown): Omit<InstalledPlugin, "id"> {
  if (!isObject(entry)) return {};
  return {
    ...(typeof entry.version === "string" && { version: entry.version }),
    ...(typeof entry.installPath === "string" && { path: entry.installPath }),
  };
}

const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

async function settingsOf(facts: SettingsFacts | undefined, context: LookupContext): Promise<SettingsValues> {
  const user = facts?.files.user;
  return facts && user ? readSettings({ path: locate(user, context), format: facts.format }) : {};
}
