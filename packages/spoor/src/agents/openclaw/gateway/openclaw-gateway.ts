import { createJsonMachine } from "../../kit/json-machine.ts";
import { asObject, asText } from "../../kit/json-values.ts";
import type { Dialect, Frame } from "../../machine.ts";
import { createGatewayReader } from "./gateway-frames.ts";

/**
 * Frames of the gateway's WebSocket, protocol 4. It is read from recordings: what runs an agent here is a process with
 * standard input and output, and the bridge to the gateway that is one speaks ACP.
 */
export const gateway: Dialect = {
  name: "gateway",
  recognises: (frames) => frames.some(isGateway),
  // Input of tools comes whole.
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
