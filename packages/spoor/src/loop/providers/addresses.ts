import { ValidationError } from "../../failures/errors.ts";

/** Where a provider's server is, by default and if a variable says otherwise. */
export interface AddressRule {
  /** The variables that may hold another address. The first that is set counts. */
  readonly variables: readonly string[];
  readonly standard: string;
  /** Added to an address that does not end with a version, such as `/v1`. */
  readonly version: string;
  /** Whether the version is added only to an address without any path. */
  readonly isPathKept?: boolean;
  /** Added to an address without a scheme and without a port. */
  readonly port?: string;
}

/** Returns the base URL of a provider's API. */
export function addressOf(rule: AddressRule, environment: NodeJS.ProcessEnv): string {
  const variable = rule.variables.find((name) => environment[name]);
  if (variable === undefined) return rule.standard;
  return completeAddress(environment[variable] as string, rule, variable);
}

/** Adds what people leave out of an address: the scheme of a local server, and the version. `source` is named in errors. */
export function completeAddress(
  given: string,
  { version, isPathKept = false, port = "" }: Omit<AddressRule, "variables" | "standard">,
  source: string,
): string {
  // The value is not shown: an address can hold a password.
  const message = `${source} must hold an address such as https://example.com/v1.`;
  const hasScheme = /^[a-z]+:\/\//i.test(given);
  const url = URL.parse(hasScheme ? given : `http://${given}`);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new ValidationError([{ field: source, message }]);
  // Servers are told to listen on all addresses in this way; a client cannot connect to it everywhere.
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (!hasScheme && url.port === "") url.port = port;
  const path = url.pathname.replace(/\/+$/, "");
  const isComplete = isPathKept ? path !== "" : /\/v\d+\w*$/.test(path);
  return `${url.origin}${path}${isComplete ? "" : version}`;
}
