import { networkInterfaces } from "node:os";
import { bracketed, isLoopback } from "../../server/http/allowed-hosts.ts";

const wildcards = ["0.0.0.0", "::", "*", ""];

/**
 * The address under which other machines of the network reach a server that listens on `host`, or undefined if they do not.
 * Private addresses come first, because the others may be those of tunnels and virtual machines.
 */
export function networkUrl(host: string, url: string): string | undefined {
  if (isLoopback(host)) return undefined;
  const address = wildcards.includes(host) ? networkAddresses()[0] : host;
  if (address === undefined) return undefined;
  const { port } = new URL(url);
  return `http://${bracketed(address)}:${port}`;
}

/** The addresses of this machine in its networks, private ones first. */
export function networkAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outer = found.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address);
  return outer.sort((a, b) => Number(isPrivate(b)) - Number(isPrivate(a)));
}

const isPrivate = (address: string): boolean => /^(?:192\.168\.|10\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(address);
