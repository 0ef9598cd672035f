import type { RunStart } from "../../run/observer.ts";
import type { GivenSecret } from "../redaction/index.ts";

/** Names of variables and headers that hold secrets. */
const SECRET_NAME =
  /passw|pass(?:$|[_\d])|passphrase|pwd|(?:^|_)pw(?:$|_)|secret|token|key(?!board|map|word)|auth(?!or)|cred|cookie|dsn|conn(?:ection)?_?str/i;
/** Names with these endings hold facts about a secret, such as its path, and not the secret. */
const HARMLESS_NAME =
  /(?:_|^)(?:type|mode|name|file|path|dir|home|url|uri|host|port|ttl|expir\w*|timeout|limit|size|count|enabled|method|provider|sock|agent|id|user|username|email|issuer|audience|scopes?|version|algorithm|length|store|region)$/i;
/** The headers with which OpenTelemetry exports, `name=value,other=value`. They mostly hold a key, whatever they are called. */
const EXPORTER_HEADERS = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;
/** Names of secrets that a person may have chosen, so they may be short and contain spaces or only digits. */
const PASSWORD_NAME = /pass|pwd|(?:^|_)pw|secret/i;

/**
 * Collects secrets from the request of a run: values in the environment and in the settings of MCP servers whose names
 * look like those of secrets. An agent may print them, and some dialects carry them.
 */
export function secretsOf({ request, environment = {} }: Pick<RunStart, "request" | "environment">): GivenSecret[] {
  const { mcpServers = [], remoteMcpServers = [] } = request;
  const values = [environment, ...mcpServers.map(({ env }) => env), ...remoteMcpServers.map(({ headers }) => headers)];
  return values.flatMap((named) =>
    Object.entries(named ?? {}).flatMap(([name, value]) => {
      if (value === undefined) return [];
      if (EXPORTER_HEADERS.test(name)) return headersIn(value).map((header) => ({ name, value: header }));
      return isSecretName(name) && isSecret(name, value) ? [{ name, value }] : [];
    }),
  );
}

const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);

/** The values of headers, as they are written and without percent-encoding. */
function headersIn(text: string): string[] {
  const values = text.split(",").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  return [...new Set(values.flatMap((value) => [value, decoded(value)]))].filter((value) => value.length >= 8);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Variables with such names also hold paths of sockets and files, or true and false. */
function isSecret(name: string, value: string): boolean {
  if (/^(?:\/|~|\.|true$|false$)/.test(value)) return false;
  if (PASSWORD_NAME.test(name)) return value.length >= 6;
  return value.length >= 8 && !/\s/.test(value) && !/^\d+$/.test(value);
}
