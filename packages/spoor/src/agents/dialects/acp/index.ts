import { asNumber, asObject, asText, createJsonMachine } from "../../json-machine.ts";
import type { Dialect, Frame } from "../../machine.ts";
import type { AcpProfile } from "./profile.ts";
import { createAcpWire } from "./wire.ts";

export type { AcpProfile } from "./profile.ts";

/** The Agent Client Protocol, version 1: JSON-RPC over standard input and output, one message per line. */
export const acp = (profile: AcpProfile = {}): Dialect => ({
  name: "acp",
  recognises: (frames) => frames.some(isAcp),
  // Input of tools comes whole.
  streams: { text: true, toolCalls: false, thinking: true },
  canAsk: true,
  createMachine: () => createJsonMachine(createAcpWire(profile)),
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
