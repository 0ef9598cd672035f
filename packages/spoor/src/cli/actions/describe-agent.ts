import type { AgentAbout } from "../../agents/agent-about.ts";
import type { AgentProvider, DescribedAgent } from "../../inventory/agent-json.ts";
import type { Capabilities } from "../../inventory/capabilities.ts";
import { locate } from "../../inventory/locate.ts";
import { flagOf } from "../flags/run-flags.ts";
import { table } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** Describes one agent for a person. */
export function describeAgent(found: DescribedAgent, about: AgentAbout | undefined): string {
  const { title, path, version, problem, auth, capabilities, install, dialects, providers, controls } = found;
  const rows: [string, string | undefined][] = [
    ["vendor", about?.vendor],
    ["home page", about?.homePage],
    ["known", found.isDocumentedOnly && "from its documentation only"],
    ["installed", path === undefined ? "no" : `${version ?? "unknown version"} at ${path}`],
    ["", problem],
    ...(path === undefined ? install.map(({ command }): [string, string] => ["to install", command]) : []),
    ["credentials", { found: "found", not_found: "not found", unknown: "unknown" }[auth.status]],
    ...auth.signs.map(({ variable, file }): [string, string] => [
      "",
      variable ? `${variable} is set` : `${file} exists`,
    ]),
    ...(providers ? [] : auth.guidance.map((line): [string, string] => ["", line])),
    ...(providers ?? []).map((provider, index): [string, string] => [
      index === 0 ? "providers" : "",
      `${provider.name}: ${providerState(provider)}`,
    ]),
    ["takes", providers && loopFlags(found)],
    ["held to", providers && "rules and approvals before each call, a budget, a number of turns, a time, a sandbox"],
    ["answers to", controls && providers && "approve, deny, send, interrupt, pause, cancel, from any terminal or page"],
    ...dialects.map(({ name, runs, asks }, index): [string, string] => [
      index === 0 ? "dialects" : "",
      `${name}: ${runs ? "runs and reads" : "reads only"}${asks ? ", can ask" : ""}`,
    ]),
    ["can", namesOf(capabilities, /^(supports|can)/, true)],
    ["cannot", namesOf(capabilities, /^(supports|can)/, false)],
    ["needs", namesOf(capabilities, /^requires/, true)],
    ["thinking", capabilities.thinkingEffortLevels?.join(", ")],
    ["default model", about?.models.defaultModel],
    ["model aliases", Object.keys(about?.models.aliases ?? {}).join(", ")],
    ["models", about?.models.named?.map(({ id }) => id).join(", ")],
    ["sessions", about?.sessions && locate(about.sessions)],
    ...Object.entries(about?.settings?.files ?? {}).map(([scope, place]): [string, string] => [
      `${scope} settings`,
      locate(place),
    ]),
    [about?.plugins?.title ?? "", about?.plugins?.listCommand && `\`${about.plugins.listCommand}\``],
  ];
  const lines = rows.flatMap(([label, text]) => (text ? [[`  ${label}`, terminalSafe(text)]] : []));
  return `${title}\n${table(lines)}`;
}

/** Whether the models of a provider can be called. Never shows a key. */
function providerState({ title, keys, key, isConfigured, isLocal }: AgentProvider): string {
  if (key !== undefined) return `${title}, ${key} is set`;
  if (keys.length === 0 && isLocal) return `${title}, on this machine, needs no key`;
  if (isConfigured) return `${title}, needs no key`;
  return `${title}, needs ${keys.length === 0 ? "an address" : keys.join(" or ")}`;
}

/** The flags of `spoor run` whose options the agent takes. */
function loopFlags({ dialects: [dialect] }: DescribedAgent): string {
  const names = dialect?.takes?.flatMap((ability) => flagOf(optionOf[ability] ?? ability) ?? []) ?? [];
  return [...new Set([...names, "--approve", "--budget", "--timeout"])].join(", ");
}

/** Abilities that belong to an option of another name. */
const optionOf: Readonly<Record<string, string>> = {
  systemPromptReplace: "systemPromptMode",
  remoteMcpServers: "mcpServers",
};

/** `supportsTextStreaming` becomes "text streaming", `canResume` becomes "resume". */
const namesOf = (capabilities: Capabilities, kind: RegExp, wanted: boolean): string =>
  Object.entries(capabilities)
    .filter(([key, value]) => kind.test(key) && value === wanted)
    .map(([key]) =>
      key
        .replace(kind, "")
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase()),
    )
    .join(", ");
