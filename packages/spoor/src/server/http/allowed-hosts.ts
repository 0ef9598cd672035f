import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

const wildcards = ["0.0.0.0", "::", "*", ""];

/**
 * The allowed values of the `Host` header. They prevent DNS rebinding: another site can point its name at this server, but
 * the browser then sends that name as `Host`.
 */
export function hostNames(host: string, port: number, more: readonly string[] = []): Set<string> {
  const names = [host, ...more];
  if (isLoopback(host) || wildcards.includes(host)) names.push("localhost", "127.0.0.1", "::1");
  if (wildcards.includes(host)) names.push(hostname(), ...addresses());
  const allowed = new Set<string>();
  for (const name of names.filter((name) => !wildcards.includes(name))) {
    const bare = bracketed(name).toLowerCase();
    // The name includes its port.
    if (/:\d+$/.test(bare) && !bare.endsWith("]") && isIP(name) === 0) allowed.add(bare);
    else allowed.add(`${bare}:${port}`);
    // Browsers leave the default port out of `Host`, and a proxy usually listens on it.
    if (port === 80 || more.includes(name)) allowed.add(bare);
  }
  return allowed;
}

/** A host as it is written in a URL. */
export const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/** A host as the system expects it, also when it is written as in a URL. */
export const unbracketed = (host: string): string => /^\[(.*)\]$/.exec(host)?.[1] ?? host;

const addresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
