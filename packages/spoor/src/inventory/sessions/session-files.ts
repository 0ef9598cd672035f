import { lstatSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { Json } from "../../agents/kit/json-values.ts";
import type { Adapter } from "../../agents/machine.ts";
import type { SessionLogs } from "../../agents/session-log.ts";
import { type LookupContext, locate } from "../locate.ts";

/** Where an agent stores one session: a file, of which nothing was read yet, or a row of its database. */
export interface SessionFile {
  agent: string;
  logs: SessionLogs;
  /** Unique among all sessions. */
  key: string;
  /** Changes whenever the session changes. */
  version: string;
  path: string;
  /** The session's id, if the file name contains it. */
  id?: string;
  /** The beginning of the id, if the file name contains only that. */
  idStart?: string;
  updatedAt: number;
  sizeBytes: number;
  /** The session's row, if it is stored in a database. */
  row?: SessionRow;
  /** Why the session cannot be read. */
  problem?: string;
  /** Further files or rows of the session, such as those of its subagents. */
  parts: SessionPart[];
}

export type SessionPart = Pick<SessionFile, "path" | "updatedAt" | "sizeBytes" | "row">;

/** A session's row in a database, with all columns that the agent's `sessions` statement selects. */
export interface SessionRow extends Json {
  readonly id: string;
  readonly key: string;
  readonly parent: string | null;
  readonly updatedAt: number;
}

/** Lists every session of an agent, the last written first. Links below the agent's folder are not followed. */
export async function findSessionFiles(
  { name, about, sessions }: Adapter,
  context: LookupContext,
  findInDatabase: FindDatabaseSessions,
): Promise<SessionFile[]> {
  if (!about?.sessions || !sessions) return [];
  const location = locate(about.sessions, context);
  const root = await realpath(location).catch(() => undefined);
  if (root === undefined) return [];
  const [files = [], parts = [], databases = []] = await findMatches(root, path.basename(location), [
    ...[
      sessions.files ?? MATCHES_NOTHING,
      sessions.parts ?? MATCHES_NOTHING,
      sessions.database?.files ?? MATCHES_NOTHING,
    ],
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
  const rows = databases.flatMap(({ groups: _, ...file }) => findInDatabase({ agent: name, logs: sessions, ...file }));
  return [...found, ...rows].sort((one, other) => other.updatedAt - one.updatedAt);
}

/** Lists the sessions in a database. */
export type FindDatabaseSessions = (database: Omit<SessionFile, "key" | "version" | "parts">) => SessionFile[];

interface Found {
  path: string;
  updatedAt: number;
  sizeBytes: number;
  groups: Record<string, string | undefined>;
}

/**
 * Finds, for each pattern, the files whose path below `root` matches it, at any depth, without following links. Folders
 * without read permission and files that disappear meanwhile are left out. `lstatSync` is used because for tens of thousands
 * of files the asynchronous call spends most of the time waiting for a thread.
 */
async function findMatches(root: string, rootName: string, patterns: readonly RegExp[]): Promise<Found[][]> {
  const found: Found[][] = patterns.map(() => []);
  const take = (name: string, file: string): void => {
    for (const [index, pattern] of patterns.entries()) {
      const match = pattern.exec(name);
      const facts = match && stat(file);
      if (facts) found[index]?.push({ ...facts, groups: match.groups ?? {} });
    }
  };
  // For some agents, `root` is the file itself.
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

const MATCHES_NOTHING = /(?!)/;
