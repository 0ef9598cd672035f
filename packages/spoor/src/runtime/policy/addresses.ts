import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Why a request must not reach an address. `metadata`: it is never opened by the rule for a name. */
export interface AddressRefusal {
  why: string;
  isMetadata: boolean;
}

const LINK_LOCAL = "a link-local address";
const METADATA = "an address of a cloud's metadata service";

/** Ranges that are not part of the public internet, and what they are. */
const ranges: readonly (readonly [what: string, ...subnets: string[]])[] = [
  ["this machine", "127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"],
  ["a private network", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"],
  ["a provider's shared network", "100.64.0.0/10"],
  // The addresses at which clouds hand out credentials are link-local, or listed by themselves.
  [LINK_LOCAL, "169.254.0.0/16", "fe80::/10"],
  [METADATA, "168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::/32", "192.0.0.192/32"],
  ["a multicast address", "224.0.0.0/4", "ff00::/8"],
  ["reserved", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ["reserved", "240.0.0.0/4", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16"],
  ["an IPv4 address inside an IPv6 address", "::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"],
];

/** Says why an address is not a public one; undefined if it is. */
export function refusalOfAddress(address: string): AddressRefusal | undefined {
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined;
  if (family === undefined) return { why: "not an address", isMetadata: false };
  const found = lists.filter(({ [family]: list }) => list.check(address, family)).map(({ what }) => what);
  const isMetadata = found.includes(METADATA) || found.includes(LINK_LOCAL);
  const why = found.includes(METADATA) ? METADATA : found[0];
  if (why !== undefined) return { why, isMetadata };
  // Only this range of IPv6 is given to the public internet.
  return family === "ipv6" && !globalUnicast.check(address, "ipv6")
    ? { why: "reserved", isMetadata: false }
    : undefined;
}

/** One list for each family: a list with both takes an IPv4 address for the IPv6 address that holds it. */
function listOf(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", bits = ""] = subnet.split("/");
    if (isIPv4(network) === (family === "ipv4")) list.addSubnet(network, Number(bits), family);
  }
  return list;
}

const lists = ranges.map(([what, ...subnets]) => ({
  what,
  ipv4: listOf("ipv4", subnets),
  ipv6: listOf("ipv6", subnets),
}));
const globalUnicast = listOf("ipv6", ["2000::/3"]);
