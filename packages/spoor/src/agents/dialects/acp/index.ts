import { asNumber, asObject, asText } from "../../kit/json-values.ts";
import type { Dialect, Frame, LiveDialect } from "../../machine.ts";
import { type AcpLaunch, acpLive } from "./acp-live.ts";
import type { AcpProfile } from "./acp-profile.ts";
import { createAcpMachine } from "./connection/acp-connection.ts";

export type { AcpLaunch } from "./acp-live.ts";
export type { AcpProfile } from "./acp-profile.ts";

/** What is particular to one ACP agent: how it is read, and how it is started. */
export interface AcpAgent extends AcpProfile {
  launch: AcpLaunch;
}

export const createAcpDialect = ({ launch, ...profile }: AcpAgent): Dialect & { live: LiveDialect } => ({
  ...acp(profile, launch.quietInAuto),
  live: acpLive(launch),
});

/** The Agent Client Protocol, version 1: JSON-RPC over standard input and output, one message per line. */
export const acp = (profile: AcpProfile = {}, quietInAuto = false): Dialect => ({
  name: "acp",
  recognises: (frames) => frames.some(isAcp),
  // Input of tools comes whole.
  streams: { text: true, toolCalls: false, thinking: true },
  canAsk: true,
  ...(!quietInAuto && { asksInAuto: true }),
  createMachine: () => createAcpMachine(profile),
});

/** Other agents speak JSON-RPC too: methods, versions that are numbers, and stop reasons tell ACP from them. */
function isAcp({ value }: Frame): boolean {
  const message = asObject(value);
  if (message?.jsonrpc !== "2.0") return false;
  const method = asText(message.method) ?? "";
  const fields = asObject(message.params) ?? asObject(message.result);
  if (/^(session|fs|terminal)\/[a-z_]+$/.test(method)) return true;
  return asNumber(fields?.protocolVersion) !== undefined || asText(fields?.stopReason) !== undefined;
}
