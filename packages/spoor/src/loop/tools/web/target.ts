import { isIP } from "node:net";
import { refusalOfAddress } from "../../../runtime/policy/addresses.ts";
import { type Glob, literalOf } from "../../../runtime/policy/glob.ts";
import { coversHost, isLoopback, readAddress } from "../../../runtime/policy/hosts.ts";
import type { PolicyAction, Verdict } from "../../../runtime/policy/index.ts";
import { parseRules } from "../../../runtime/policy/rule.ts";
import { ToolProblem } from "../kit/define-tool.ts";
import type { ToolContext, ToolPlace } from "../tool.ts";

/** Where a request goes. */
export interface Target {
  url: URL;
  /** The name or address, without brackets and without a dot at its end. */
  host: string;
  port: number;
}

/** Finds the addresses of a name. */
export type Resolve = (name: string) => Promise<readonly { address: string; family: number }[]>;

/** Reads an address as a model writes it. Throws if it is none that may be requested. */
export function readTarget(typed: string): Target {
  // Programs disagree about these characters, so what is judged might not be what is requested.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  if (/[\u0000-\u0020\u007f\\]/.test(typed))
    throw new ToolProblem("The URL has a space, a backslash or a control character in it.");
  if (!URL.canParse(typed))
    throw new ToolProblem(`${JSON.stringify(typed.slice(0, 200))} is no URL. Write it whole: https://example.com/page`);
  const url = new URL(typed);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ToolProblem(`Only http and https can be requested, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolProblem("The URL has a user name or a password in it, which is refused: URLs are recorded.");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host === "") throw new ToolProblem("The URL has no host.");
  url.hash = "";
  return { url, host, port: Number(url.port || (url.protocol === "https:" ? 443 : 80)) };
}

/** What rules judge about a request. */
export const hostAction = (
  { host, port }: Pick<Target, "host" | "port">,
  { root }: Pick<ToolPlace, "root">,
  tool: string,
): PolicyAction => ({
  ...{ subject: "host", cwd: root, tool, host: hostAndPort(host, port) },
});

/** What rules judge about a URL as a model writes it. One that cannot be requested needs no permission. */
export function urlActions(typed: string, place: ToolPlace, tool: string): PolicyAction[] {
  try {
    return [hostAction(readTarget(typed), place, tool)];
  } catch (error) {
    if (error instanceof ToolProblem) return [];
    throw error;
  }
}

/**
 * The addresses to connect to, each of them checked: what is resolved here is what is connected to. Addresses that are not
 * public are refused, unless a rule of the user or of the task allows this host by its name or number: patterns with a `*` do
 * not count, and neither do rules of the workspace. The addresses of metadata services must be named themselves.
 */
export async function checkedAddresses(
  target: Target,
  context: Pick<ToolContext, "root" | "decide">,
  { tool, resolve, isOwn }: { tool: string; resolve: Resolve; isOwn?: boolean },
): Promise<readonly { address: string; family: number }[]> {
  const { host, port } = target;
  const isOpened = (name: string): boolean =>
    isNamed(context.decide(hostAction({ host: name, port }, context, tool)), name, port);
  const family = isIP(host);
  const isNameOpened = isOwn === true || isOpened(host);
  if (family === 0 && isLoopback(host) && !isNameOpened) throw refused(host, "a name of this machine", port);
  const found = family === 0 ? await resolved(host, resolve) : [{ address: host, family }];
  for (const { address } of found) {
    const refusal = refusalOfAddress(address);
    if (!refusal || (isNameOpened && !refusal.isMetadata) || isOpened(address)) continue;
    throw refused(address === host ? host : `${host} (${address})`, refusal.why, port);
  }
  return found;
}

async function resolved(host: string, resolve: Resolve): Promise<readonly { address: string; family: number }[]> {
  try {
    const found = await resolve(host);
    if (found.length > 0) return found;
  } catch {
    // The reason is of no use to the model.
  }
  throw new ToolProblem(`The name ${host} cannot be resolved. Check the URL.`);
}

/** Whether a rule of the user or of the task names this host, rather than accepts it among others. */
function isNamed({ decision, policy_id, rule }: Verdict, host: string, port: number): boolean {
  if (decision !== "allow" || !rule || !/^(user|task):/.test(policy_id)) return false;
  const address = readAddress(hostAndPort(host, port));
  const [parsed] = parseRules(rule.text, rule.source, "").rules;
  if (!address || parsed?.subject !== "host") return false;
  return parsed.patterns.some((pattern) => {
    const alternatives = pattern.alternatives.filter((glob) => literalOf(withoutPort(glob)) !== undefined);
    return coversHost({ ...parsed, patterns: [{ ...pattern, alternatives }] }, address);
  });
}

/** `localhost:*` names a host, though not its port. */
const withoutPort = (glob: Glob): Glob =>
  glob.at(-2) === ":" && typeof glob.at(-1) === "symbol" ? glob.slice(0, -2) : glob;

export const hostAndPort = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

const refused = (host: string, what: string, port: number): ToolProblem =>
  new ToolProblem(
    `${host} is refused: it is ${what}. The user can open it with a rule in their own policy.rules: allow host ${hostAndPort(host.split(" ")[0] ?? host, port)}`,
  );
