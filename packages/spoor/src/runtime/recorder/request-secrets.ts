import type { RunStart } from "../../mux/observer.ts";
import type { GivenSecret } from "../redaction/index.ts";

const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie/i;

/**
 * Secrets among what a run is started with: what its environment and its MCP servers hold under telling names. An agent
 * may print them, and some wires carry them.
 */
export function secretsOf({ request, environment = {} }: Pick<RunStart, "request" | "environment">): GivenSecret[] {
  const { mcpServers = [], remoteMcpServers = [] } = request;
  const values = [environment, ...mcpServers.map(({ env }) => env), ...remoteMcpServers.map(({ headers }) => headers)];
  return values.flatMap((named) =>
    Object.entries(named ?? {}).flatMap(([name, value]) =>
      value !== undefined && SECRET_NAME.test(name) && isSecret(value) ? [{ name, value }] : [],
    ),
  );
}

/** Paths of sockets and files, switches and the like stand under such names too. */
const isSecret = (value: string): boolean => value.length >= 8 && !/^(?:\/|~|\.|true$|false$)|\s/.test(value);
