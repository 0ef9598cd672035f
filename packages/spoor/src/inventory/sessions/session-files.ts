import { lstatSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { Json } from "../../agents/kit/json-values.ts";
import type { Adapter } from "../../agents/machine.ts";
import type { SessionLogs } from "../../agents/session-log.ts";
import { locate, type Surroundings } from "../locate.ts";

/** What an agent keeps a session in: a file of which nothing was read yet, or a row of its database. */
export interface SessionFile {
  agent: string;
  logs: SessionLogs;
  /** No other has it. */
  key: string;
  /** Changes whenever the session does. */
  version: string;
  path: string;
  /** What its name tells of the session's id. */
  id?: string;
  idStart?: string;
  updatedAt: number;
  sizeBytes: number;
  /** What its database says of it. */
  row?: SessionRow;
  /** Why nothing can be read of it. */
  problem?: string;
  /** Further files or rows of the session. */
  parts: SessionPart[];
}

export type SessionPart = Pick<SessionFile, "path" | "updatedAt" | "sizeBytes" | "row">;

/** Of a session in a database; with it goes whatever else the agent's statement asks for. */
export interface SessionRow extends Json {
  readonly id: string;
  readonly key: string;
  readonly parent: string | null;
  readonly updatedAt: number;
}

/** Every session of an agent, the one written last first. Links below its folder are not followed. */
export async function findFiles(
  { name, about, sessions }: Adapter,
  around: Surroundings,
  findRows: FindRows,
): Promise<SessionFile[]> {
  if (!about?.sessions || !sessions) return [];
  const place = locate(about.sessions, around);
  const root = await realpath(place).catch(() => undefined);
  if (root === undefined) return [];
  const [files = [], parts = [], databases = []] = await look(root, path.basename(place), [
    ...[sessions.files ?? NONE, sessions.parts ?? NONE, sessions.database?.files ?? NONE],
  ]);
  const partsOf = Map.groupBy(parts, ({ groups }) => groups.id);
  const found = files.map(({ groups, ...file }) => ({
    agent: name,
    logs: sessions,
    key: file.path,
    version: `${file.updatedAt} ${file.sizeBytes}`,
    ...file,
    ...(groups.id !== undefined && { id: groups.id }),
    ...(groups.idStart !== undefined && { idStart: groups.idStart }),
    parts: (partsOf.get(groups.id) ?? []).map(({ groups: _, ...part }) => part),
  }));
  const rows = databases.flatMap(({ groups: _, ...file }) => findRows({ agent: name, logs: sessions, ...file }));
  return [...found, ...rows].sort((one, other) => other.updatedAt - one.updatedAt);
}

/** The sessions in a database. */
export type FindRows = (database: Omit<SessionFile, "key" | "version" | "parts">) => SessionFile[];

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
async function look(root: string, rootName: string, patterns: readonly RegExp[]): Promise<Found[][]> {
  const found: Found[][] = patterns.map(() => []);
  const take = (name: string, file: string): void => {
    for (const [index, pattern] of patterns.entries()) {
      const match = pattern.exec(name);
      const facts = match && stat(file);
      if (facts) found[index]?.push({ ...facts, groups: match.groups ?? {} });
    }
  };
  // Some agents have a file and no folder.
  take(rootName, root);
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = `${folder}${entry.name}`;
      if (entry.isDirectory()) folders.push(`${name}/`);
      if (entry.isFile()) take(name, path.join(root, name));
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
