import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SpoorError } from "../../failures/errors.ts";
import { makeDirectory } from "../../log/make-directory.ts";

/** A tool of an MCP server, as the user approved it. */
export interface ApprovedTool {
  sha256: string;
  /** What the model reads about the tool. */
  description: string;
  schema: Readonly<Record<string, unknown>>;
}

/** An MCP server that the user approved. */
export interface ApprovedServer {
  name: string;
  /** The hash of `launch`. */
  sha256: string;
  /** The command or address, as `launchOf` makes it. */
  launch: Readonly<Record<string, unknown>>;
  approved_at: string;
  /** The tools that it offered, by name. Absent until it was connected for the first time. */
  tools?: Readonly<Record<string, ApprovedTool>>;
}

export const serversFile = (directory: string): string => path.join(directory, "mcp-servers.json");

/** Lists the servers that the user approved. A list that cannot be read throws: nothing is approved then. */
export function readServers(directory: string): ApprovedServer[] {
  const file = serversFile(directory);
  let written: string;
  try {
    written = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new SpoorError("CONFIG_ERROR", `Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  try {
    const { servers } = JSON.parse(written) as { servers: ApprovedServer[] };
    if (servers.every(isServer)) return servers;
  } catch {
    // Reported below, as any other content that is not a list.
  }
  const message = `${file} is damaged, so no MCP server counts as approved. Remove it; each server is asked about again.`;
  throw new SpoorError("CONFIG_ERROR", message);
}

/** The approved server with this name and hash. */
export const findServer = (directory: string, name: string, sha256: string): ApprovedServer | undefined =>
  readServers(directory).find((one) => one.name === name && one.sha256 === sha256);

/** Adds a server, or replaces what was approved of it. The oldest ones are forgotten when there are too many. */
export function approveServer(directory: string, server: ApprovedServer): void {
  const others = readServers(directory).filter(({ name, sha256 }) => name !== server.name || sha256 !== server.sha256);
  write(directory, [...others, server].slice(-MAX_SERVERS));
}

/** Forgets servers by their name, or one of them by its hash too. Returns those that are forgotten. */
export function forgetServers(directory: string, name: string, sha256?: string): ApprovedServer[] {
  const servers = readServers(directory);
  const isMeant = (one: ApprovedServer) => one.name === name && (sha256 === undefined || one.sha256 === sha256);
  const forgotten = servers.filter(isMeant);
  if (forgotten.length > 0)
    write(
      directory,
      servers.filter((one) => !isMeant(one)),
    );
  return forgotten;
}

const MAX_SERVERS = 200;

const isServer = (one: ApprovedServer): boolean =>
  typeof one.name === "string" && typeof one.sha256 === "string" && typeof one.launch === "object";

/** Writes atomically: a reader sees the old list or the new one. */
function write(directory: string, servers: readonly ApprovedServer[]): void {
  makeDirectory(directory);
  const draft = `${serversFile(directory)}.${process.pid}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify({ servers }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, serversFile(directory));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
