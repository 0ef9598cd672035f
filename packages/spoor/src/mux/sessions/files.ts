import { lstatSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { Adapter } from "../../agents/machine.ts";
import type { SessionLogs } from "../../agents/session-log.ts";
import { locate, type Surroundings } from "../place.ts";

/** A file an agent keeps a session in. Nothing of it was read yet. */
export interface SessionFile {
  agent: string;
  logs: SessionLogs;
  path: string;
  /** What its name tells of the session's id. */
  id?: string;
  idStart?: string;
  updatedAt: number;
  sizeBytes: number;
  /** Further files of the session. */
  parts: { path: string; updatedAt: number; sizeBytes: number }[];
}

/** Every session of an agent, the one written last first. Links below its folder are not followed. */
export async function findFiles({ name, about, sessions }: Adapter, around: Surroundings): Promise<SessionFile[]> {
  if (!about?.sessions || !sessions) return [];
  const root = await realpath(locate(about.sessions, around)).catch(() => undefined);
  if (root === undefined) return [];
  const [files, parts] = await look(root, [sessions.files, sessions.parts ?? NONE]);
  const partsOf = Map.groupBy(parts ?? [], ({ groups }) => groups.id);
  return (files ?? [])
    .map(({ groups, ...file }) => ({
      agent: name,
      logs: sessions,
      ...file,
      ...(groups.id !== undefined && { id: groups.id }),
      ...(groups.idStart !== undefined && { idStart: groups.idStart }),
      parts: (partsOf.get(groups.id) ?? []).map(({ groups: _, ...part }) => part),
    }))
    .sort((one, other) => other.updatedAt - one.updatedAt);
}

interface Found {
  path: string;
  updatedAt: number;
  sizeBytes: number;
  groups: Record<string, string | undefined>;
}

/**
 * What fits each pattern by its path below a folder, in any depth, but not through links. What may not be looked into,
 * and what is gone by now, is left out. Reading a file's size and time does not wait for a thread: for tens of thousands
 * of files that is most of the time there is.
 */
async function look(root: string, patterns: readonly RegExp[]): Promise<Found[][]> {
  const found: Found[][] = patterns.map(() => []);
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = `${folder}${entry.name}`;
      if (entry.isDirectory()) folders.push(`${name}/`);
      if (!entry.isFile()) continue;
      for (const [index, pattern] of patterns.entries()) {
        const match = pattern.exec(name);
        const file = match && stat(path.join(root, name));
        if (file) found[index]?.push({ ...file, groups: match.groups ?? {} });
      }
    }
  }
  return found;
}

function stat(file: string): Omit<Found, "groups"> | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? { path: file, updatedAt: Math.round(stats.mtimeMs), sizeBytes: stats.size } : undefined;
  } catch {
    return undefined;
  }
}

const NONE = /(?!)/;
