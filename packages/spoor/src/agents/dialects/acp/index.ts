import { asNumber, asObject, asText } from "../../kit/json-values.ts";
import type { Dialect, Frame, LiveDialect } from "../../machine.ts";
import { type AcpLaunch, acpLive } from "./acp-live.ts";
import type { AcpProfile } from "./acp-profile.ts";
import { createAcpMachine } from "./connection/acp-connection.ts";

export type { AcpLaunch } from "./acp-live.ts";
export type { AcpProfile } from "./acp-profile.ts";

/** The differences of one ACP agent: how to read it and how to start it. */
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
  // Tool input arrives as a whole.
  streams: { text: true, toolCalls: false, thinking: true },
  canAsk: true,
  ...(!quietInAuto && { asksInAuto: true }),
  createMachine: () => createAcpMachine(profile),
});

/** Other agents use JSON-RPC too. ACP has its own method names, numeric protocol versions and stop reasons. */
function isAcp({ value }: Frame): boolean {
  const message = asObject(value);
  if (message?.jsonrpc !== "2.0") return false;
  const method = asText(message.method) ?? "";
  const fields = asObject(message.params) ?? asObject(message.result);
  if (/^(session|fs|terminal)\/[a-z_]+$/.test(method)) return true;
  return asNumber(fields?.protocolVersion) !== undefined || asText(fields?.stopReason) !== undefined;
}
