import { BlockList, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { ANY as anyName, folded, type Glob, globOf, literalOf, meets } from "./glob.ts";
import type { Rule } from "./rule.ts";

/** An address that a command reaches. */
export interface Address {
  /** The name or number in its usual form, without brackets, user and port. */
  host: string;
  port: string | undefined;
}

const schemePorts: Readonly<Record<string, string>> = {
  http: "80",
  https: "443",
  ws: "80",
  wss: "443",
  ssh: "22",
  ftp: "21",
  git: "9418",
};

/** Reads a URL, `host:port`, `user@host:path` or a bare host. Returns undefined if it is none of them. */
export function readAddress(typed: string): Address | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(typed);
  let rest = typed.slice(scheme?.[0].length ?? 0);
  // Programs disagree about backslashes and about what ends a host, so odd addresses are not judged.
  if (/[\s\\<>"{}|^`]/.test(typed)) return undefined;
  rest = rest.split(/[/?#]/)[0] ?? "";
  if (rest.split("@").length > 2) return undefined;
  rest = rest.slice(rest.lastIndexOf("@") + 1);
  const bracket = /^\[([^\]]+)\](?::(\w*))?$/.exec(rest);
  const [, name = "", port] =
    bracket ?? (isIPv6(rest) ? [rest, rest, undefined] : (/^([^:]*)(?::([^:]*))?$/.exec(rest) ?? []));
  const host = usualHost(decode(name));
  if (host === undefined || host === "") return undefined;
  const given = port === "" || !/^\d+$/.test(port ?? "") ? undefined : String(Number(port));
  return { host, port: given ?? schemePorts[scheme?.[1]?.toLowerCase() ?? ""] };
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}

/** Writes a host in its usual form: lower case, punycode, no last dot, and numbers of any base as an IPv4 address. */
function usualHost(name: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  if (/[\u0000-\u0020\u007f]/.test(name)) return undefined;
  const bare = name.replace(/%.*$/, "").toLowerCase().replace(/\.$/, "");
  if (isIPv6(bare)) return usualIPv6(bare);
  const numbers = bare.normalize("NFKC").split(".");
  if (numbers.length <= 4 && numbers.every((part) => /^(0x[0-9a-f]*|\d+)$/.test(part))) return ipv4Of(numbers);
  const ascii = domainToASCII(bare);
  return ascii === "" ? undefined : ascii;
}

/** `127.1`, `2130706433`, `0x7f.1` and `0177.0.0.1` are all 127.0.0.1. */
function ipv4Of(parts: readonly string[]): string | undefined {
  const numbers = parts.map((part) =>
    /^0x/.test(part)
      ? Number.parseInt(part.slice(2) || "0", 16)
      : /^0\d/.test(part)
        ? Number.parseInt(part, 8)
        : Number(part),
  );
  const last = numbers.pop() ?? 0;
  if (numbers.some((number) => !(number <= 255)) || !(last < 256 ** (4 - numbers.length))) return undefined;
  const whole = numbers.reduce((sum, number, index) => sum + number * 256 ** (3 - index), 0) + last;
  return [24, 16, 8, 0].map((shift) => Math.floor(whole / 2 ** shift) % 256).join(".");
}

function usualIPv6(text: string): string {
  const usual = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  // IPv4 addresses inside IPv6: ::ffff:127.0.0.1, ::127.0.0.1 and 64:ff9b::7f00:1.
  const inside = /^(?:::ffff:|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(usual);
  if (!inside) return usual;
  const [high, low] = [Number.parseInt(inside[1] ?? "0", 16), Number.parseInt(inside[2] ?? "0", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** All names of this machine are one: a rule about any of them is about all. */
export function isLoopback(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "localhost.localdomain" ||
    host === "ip6-localhost" ||
    host === "ip6-loopback" ||
    /^(127\.|0\.)/.test(host) ||
    host === "::1" ||
    host === "::"
  );
}

/** Returns whether a rule is about an address. For rules that allow, loopback has only the names that are written. */
export function coversHost({ patterns, action }: Rule, address: Address): boolean {
  return patterns.some(({ alternatives }) => alternatives.some((glob) => coversOne(glob, address, action !== "allow")));
}

/** Returns whether a rule may be about an address that is partly computed. */
export function touchesHost({ patterns }: Rule, target: Glob): boolean {
  const found = folded(target);
  return patterns.some(({ alternatives }) =>
    alternatives.some((glob) => meets([...folded(portOf(glob).host)], found) || literalOf(target) === undefined),
  );
}

function coversOne(glob: Glob, { host, port }: Address, isStrict: boolean): boolean {
  const written = portOf(glob);
  if (written.port !== undefined && written.port !== "*" && port !== undefined && written.port !== port) return false;
  // Without a known port, a rule about one port may be meant.
  if (written.port !== undefined && written.port !== "*" && port === undefined && !isStrict) return false;
  const literal = literalOf(written.host);
  const range = /^([0-9a-f.:]+)\/(\d+)$/i.exec(literal ?? "");
  if (range) return isInRange(range[1] ?? "", Number(range[2]), host);
  const usual = literal === undefined ? undefined : usualHost(literal.replace(/^\[|\]$/g, ""));
  if (usual !== undefined && isStrict && isLoopback(usual) && isLoopback(host)) return true;
  return usual === undefined
    ? meets(
        folded(written.host).map((token) => (typeof token === "string" ? token : anyName)),
        globOf(host),
      )
    : usual === host;
}

function portOf(glob: Glob): { host: Glob; port?: string } {
  const colon = glob.lastIndexOf(":");
  const literal = literalOf(glob);
  const isBare = literal !== undefined && isIPv6(literal.split("/")[0] ?? "");
  if (colon < 0 || isBare || glob.lastIndexOf("]") > colon) return { host: glob };
  const port = glob.slice(colon + 1);
  return { host: glob.slice(0, colon), port: port.every((token) => typeof token === "string") ? port.join("") : "*" };
}

function isInRange(network: string, bits: number, host: string): boolean {
  const family = isIPv6(network) ? "ipv6" : "ipv4";
  const of = isIPv6(host) ? "ipv6" : /^[\d.]+$/.test(host) ? "ipv4" : undefined;
  if (of !== family) return false;
  const list = new BlockList();
  try {
    list.addSubnet(network, bits, family);
  } catch {
    // Rules with such a range are refused when they are read.
    return true;
  }
  return list.check(host, family);
}
