import { adapters } from "../../agents/registry.ts";
import { agentJson, describeAgents } from "../../inventory/agent-json.ts";
import type { AuthState } from "../../inventory/auth/auth-state.ts";
import type { Capabilities } from "../../inventory/capabilities.ts";
import type { Detected } from "../../inventory/detect.ts";
import { findAgent } from "../../inventory/find-agent.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { table, widthOf } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { describeAgent } from "./describe-agent.ts";

export async function listAgents(name: string | undefined, { json }: { json?: true }, io: Io): Promise<void> {
  const asked = name === undefined ? adapters : [findAgent(adapters, name)];
  const found = await describeAgents(asked);
  const [first] = found;
  if (json) printJson(io.stdout, name === undefined ? found.map(agentJson) : first && agentJson(first), 2);
  else if (name !== undefined && first) io.stdout.write(describeAgent(first, first.about));
  else
    io.stdout.write(
      `${table([["AGENT", "INSTALLED", "CREDENTIALS", "CAN"], ...found.map(row)], widthOf(io.stdout))}${missing(found)}`,
    );
}

function row({ agent, path, version, meetsMinimumVersion, minimumVersion, auth, capabilities }: Detected): string[] {
  const old = meetsMinimumVersion === false ? ` (older than ${minimumVersion})` : "";
  const installed = path === undefined ? "–" : `${version ?? "yes"}${old}`;
  return [agent, installed, credentials(auth), abilities(capabilities).join(", ")];
}

/** Says where credentials were found. Never shows the credentials. */
function credentials({ status, signs: [sign] }: AuthState): string {
  if (sign) return terminalSafe(sign.variable ?? sign.title);
  return status === "unknown" ? "?" : "–";
}

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
