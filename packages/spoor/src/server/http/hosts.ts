import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

const wildcards = ["0.0.0.0", "::", "*", ""];

/**
 * The values `Host` may have. A page elsewhere can let its name point to us, but it cannot change what the browser
 * writes here: whoever comes under a name we do not go by was led here.
 */
export function hostNames(host: string, port: number, more: readonly string[] = []): Set<string> {
  const names = [host, ...more];
  if (isLoopback(host) || wildcards.includes(host)) names.push("localhost", "127.0.0.1", "::1");
  if (wildcards.includes(host)) names.push(hostname(), ...addresses());
  const allowed = new Set<string>();
  for (const name of names.filter((name) => !wildcards.includes(name))) {
    const bare = bracketed(name).toLowerCase();
    // A name that comes with its own port says all there is to say.
    if (/:\d+$/.test(bare) && !bare.endsWith("]") && isIP(name) === 0) allowed.add(bare);
    else allowed.add(`${bare}:${port}`);
    // A proxy in front of us mostly has the port that goes without saying.
    if (port === 80 || more.includes(name)) allowed.add(bare);
  }
  return allowed;
}

/** A host as a URL writes it. */
export const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/** A host as the system wants it, also when it is given as a URL writes it. */
export const unbracketed = (host: string): string => /^\[(.*)\]$/.exec(host)?.[1] ?? host;

const addresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
