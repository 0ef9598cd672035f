import type { LaunchRequest } from "../../agents/machine.ts";
import type { GivenSecret } from "../redaction/index.ts";

const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie/i;

/** Secrets among what a run is started with: what its MCP servers are given under telling names. */
export function secretsOf({ mcpServers = [], remoteMcpServers = [] }: LaunchRequest): GivenSecret[] {
  const values = [...mcpServers.map(({ env }) => env), ...remoteMcpServers.map(({ headers }) => headers)];
  return values.flatMap((named) =>
    Object.entries(named ?? {}).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [{ name, value }] : [])),
  );
}
