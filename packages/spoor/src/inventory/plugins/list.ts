import { readdir } from "node:fs/promises";
import path from "node:path";
import type { PluginListing, SettingsFacts } from "../../agents/agent-about.ts";
import { SpoorError } from "../../failures/errors.ts";
import { locate, type Surroundings } from "../locate.ts";
import { isObject, readField } from "../settings/fields.ts";
import type { SettingsValues } from "../settings/formats.ts";
import { readSettings } from "../settings/settings-file.ts";

export interface InstalledPlugin {
  id: string;
  version?: string;
  /** Absent where the agent does not say. */
  enabled?: boolean;
  path?: string;
}

/** The plugins an agent has, read where it keeps them. Nothing there is no plugins; what cannot be read is an error. */
export async function listPlugins(
  listing: PluginListing,
  settings: SettingsFacts | undefined,
  around: Surroundings,
): Promise<InstalledPlugin[]> {
  switch (listing.in) {
    case "record": {
      const record = await readSettings({ path: locate(listing.file, around), format: "json" });
      const switches = listing.enabled && readField(await settingsOf(settings, around), [listing.enabled]);
      return entriesOf(readField(record, [listing.field])).map(([id, installations]) => ({
        id,
        ...describe(Array.isArray(installations) ? installations[0] : installations),
        ...(isObject(switches) && typeof switches[id] === "boolean" && { enabled: switches[id] }),
      }));
    }
    case "folders":
      return inFolders(locate(listing.folder, around), listing.manifest);
    case "list": {
      const sources = readField(await settingsOf(settings, around), [listing.field]);
      if (!Array.isArray(sources)) return [];
      return sources
        .map((entry: unknown) => (isObject(entry) ? entry.source : entry))
        .filter((source) => typeof source === "string")
        .map((id) => ({ id }));
    }
    case "table":
      return entriesOf(readField(await settingsOf(settings, around), [listing.field])).map(([id, entry]) => ({
        id,
        ...(isObject(entry) && typeof entry.enabled === "boolean" && { enabled: entry.enabled }),
      }));
  }
}

/** A folder without a manifest is no plugin. */
async function inFolders(folder: string, manifest: string): Promise<InstalledPlugin[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new SpoorError("PLUGIN_ERROR", `${folder} cannot be read: ${error.message}`, { cause: error });
  });
  const plugins = await Promise.all(
    found
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(async (entry): Promise<InstalledPlugin[]> => {
        const place = path.join(folder, entry.name);
        const told = await readSettings({ path: path.join(place, manifest), format: "json" });
        return typeof told.name === "string" ? [{ id: told.name, ...describe(told), path: place }] : [];
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

async function settingsOf(facts: SettingsFacts | undefined, around: Surroundings): Promise<SettingsValues> {
  const user = facts?.files.user;
  return facts && user ? readSettings({ path: locate(user, around), format: facts.format }) : {};
}
