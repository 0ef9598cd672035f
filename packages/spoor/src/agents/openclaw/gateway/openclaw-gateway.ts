import { createJsonMachine } from "../../kit/json-machine.ts";
import { asObject, asText } from "../../kit/json-values.ts";
import type { Dialect, Frame } from "../../machine.ts";
import { createGatewayReader } from "./gateway-frames.ts";

/**
 * Frames of the gateway's WebSocket, protocol 4. This dialect is only read from recordings: Spoor runs agents as
 * processes with standard input and output, and OpenClaw's process that connects to the gateway speaks ACP.
 */
export const gateway: Dialect = {
  name: "gateway",
  recognises: (frames) => frames.some(isGateway),
  // Tool input arrives as a whole.
  streams: { text: true, toolCalls: false, thinking: true },
  canAsk: true,
  createMachine: () => createJsonMachine(createGatewayReader()),
};

function isGateway({ value }: Frame): boolean {
  const frame = asObject(value);
  if (frame?.type === "event") return asText(frame.event) !== undefined && "payload" in frame;
  if (frame?.type === "req") return asText(frame.method) !== undefined;
  return frame?.type === "res" && typeof frame.ok === "boolean";
}
