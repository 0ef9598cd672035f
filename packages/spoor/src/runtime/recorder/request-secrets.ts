import type { RunStart } from "../../run/observer.ts";
import type { GivenSecret } from "../redaction/index.ts";

/** Names of variables and headers that hold secrets, wherever in the name it stands. */
const SECRET_NAME =
  /passw|pass(?:$|[_\d])|passphrase|pwd|(?:^|_)pw(?:$|_)|secret|token|key(?!board|map|word)|auth(?!or)|cred|cookie|dsn|conn(?:ection)?_?str/i;
/** Of these, names that end so hold what is known about a secret, or where it is. */
const HARMLESS_NAME =
  /(?:_|^)(?:type|mode|name|file|path|dir|home|url|uri|host|port|ttl|expir\w*|timeout|limit|size|count|enabled|method|provider|sock|agent|id|user|username|email|issuer|audience|scopes?|version|algorithm|length|store|region)$/i;
const CHOSEN_BY_SOMEBODY = /pass|pwd|(?:^|_)pw|secret/i;

/**
 * Secrets among what a run is started with: what its environment and its MCP servers hold under telling names. An agent
 * may print them, and some wires carry them.
 */
export function secretsOf({ request, environment = {} }: Pick<RunStart, "request" | "environment">): GivenSecret[] {
  const { mcpServers = [], remoteMcpServers = [] } = request;
  const values = [environment, ...mcpServers.map(({ env }) => env), ...remoteMcpServers.map(({ headers }) => headers)];
  return values.flatMap((named) =>
    Object.entries(named ?? {}).flatMap(([name, value]) =>
      value !== undefined && isSecretName(name) && isSecret(name, value) ? [{ name, value }] : [],
    ),
  );
}

const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);

/** Paths of sockets and files, switches and the like stand under such names too. */
function isSecret(name: string, value: string): boolean {
  if (/^(?:\/|~|\.|true$|false$)/.test(value)) return false;
  if (CHOSEN_BY_SOMEBODY.test(name)) return value.length >= 6;
  return value.length >= 8 && !/\s/.test(value) && !/^\d+$/.test(value);
}
