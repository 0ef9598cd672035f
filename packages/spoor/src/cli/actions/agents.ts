import { adapters } from "../../agents/registry.ts";
import { agentJson, type DescribedAgent, describeAgents } from "../../inventory/agent-json.ts";
import type { AuthState } from "../../inventory/auth/auth-state.ts";
import type { Capabilities } from "../../inventory/capabilities.ts";
import type { Detected } from "../../inventory/detect.ts";
import { findAgent } from "../../inventory/find-agent.ts";
import { loopAdapter } from "../../loop/adapter.ts";
import { describeLoop } from "../../loop/describe.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { styleOf } from "../output/style.ts";
import { table } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { describeAgent } from "./describe-agent.ts";

export async function listAgents(name: string | undefined, { json }: { json?: true }, io: Io): Promise<void> {
  const asked = name === undefined ? adapters : name === "loop" ? [] : [findAgent([...adapters, loopAdapter], name)];
  const own = name === undefined || name === "loop" ? [await describeLoop()] : [];
  const found = [...(await describeAgents(asked)), ...own];
  const [first] = found;
  if (json) printJson(io.stdout, name === undefined ? found.map(agentJson) : first && agentJson(first), 2);
  else if (name !== undefined && first) io.stdout.write(describeAgent(first, first.about));
  else
    io.stdout.write(
      `${table([["AGENT", "INSTALLED", "CREDENTIALS", "CAN"], ...found.map(row)], styleOf(io.stdout))}${missing(found)}`,
    );
}

function row(found: DescribedAgent): string[] {
  const { agent, path, version, meetsMinimumVersion, minimumVersion, auth, capabilities, providers } = found;
  const old = meetsMinimumVersion === false ? ` (older than ${minimumVersion})` : "";
  const installed = path === undefined ? "–" : `${version ?? "yes"}${old}`;
  const keys = providers ? providersWithKeys(providers) : credentials(auth);
  return [agent, installed, keys, abilities(capabilities).join(", ")];
}

/** Says where credentials were found. Never shows the credentials. */
function credentials({ status, signs: [sign] }: AuthState): string {
  if (sign) return terminalSafe(sign.variable ?? sign.title);
  return status === "unknown" ? "?" : "–";
}

/** Our own loop calls models itself: the providers whose keys are in the environment. */
const providersWithKeys = (providers: NonNullable<DescribedAgent["providers"]>): string =>
  terminalSafe(providers.flatMap(({ name, key }) => (key === undefined ? [] : [name])).join(", ")) || "–";

function abilities(can: Capabilities): string[] {
  return [
    ...(can.approvalModes.includes("ask") ? ["ask"] : []),
    ...(can.canResume ? ["resume"] : []),
    ...(can.canFork ? ["fork"] : []),
    ...(can.supportsMCP ? ["MCP"] : []),
    ...(can.supportsThinking ? ["think"] : []),
    ...(can.supportsSubagentDispatch ? ["subagents"] : []),
    ...(can.supportsSkills ? ["skills"] : []),
    ...(can.supportsPlugins ? ["plugins"] : []),
  ];
}

function missing(found: readonly Detected[]): string {
  const rows = found.flatMap(({ agent, path, install: [method] }) =>
    path === undefined && method && method.with !== "manual" ? [[`  ${agent}`, method.command]] : [],
  );
  return rows.length === 0 ? "" : `\nTo install:\n${table(rows)}`;
}
