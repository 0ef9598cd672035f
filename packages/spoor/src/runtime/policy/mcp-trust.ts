import { storedList } from "./stored-list.ts";

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

const isServer = (one: ApprovedServer): boolean =>
  typeof one.name === "string" && typeof one.sha256 === "string" && typeof one.launch === "object";

const list = storedList(
  "mcp-servers.json",
  "servers",
  isServer,
  "so no MCP server counts as approved. Remove it; each server is asked about again.",
);

export const serversFile: (directory: string) => string = list.fileIn;

/** Lists the servers that the user approved. A list that cannot be read throws: nothing is approved then. */
export const readServers: (directory: string) => ApprovedServer[] = list.read;

/** The approved server with this name and hash. */
export const findServer = (directory: string, name: string, sha256: string): ApprovedServer | undefined =>
  readServers(directory).find((one) => one.name === name && one.sha256 === sha256);

const MAX_SERVERS = 200;

/** Adds a server, or replaces what was approved of it. The oldest ones are forgotten when there are too many. */
export function approveServer(directory: string, server: ApprovedServer): void {
  const isOther = ({ name, sha256 }: ApprovedServer) => name !== server.name || sha256 !== server.sha256;
  list.change(directory, (servers) => [...servers.filter(isOther), server].slice(-MAX_SERVERS));
}

/** Forgets servers by their name, or one of them by its hash too. Returns those that are forgotten. */
export function forgetServers(directory: string, name: string, sha256?: string): ApprovedServer[] {
  const isMeant = (one: ApprovedServer) => one.name === name && (sha256 === undefined || one.sha256 === sha256);
  const forgotten = readServers(directory).filter(isMeant);
  if (forgotten.length > 0) list.change(directory, (servers) => servers.filter((one) => !isMeant(one)));
  return forgotten;
}
