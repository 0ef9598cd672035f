import type { StopReason } from "@agentclientprotocol/sdk";
import type { Envelope } from "@spoor/protocol";
import { maybe, text } from "../translator.ts";

/** How a prompt ends: with a reason to stop, or with an error of JSON-RPC. */
export type Outcome =
  | { readonly stopReason: StopReason }
  | { readonly code: number; readonly message: string; readonly data: Readonly<Record<string, unknown>> };

export const AUTH_REQUIRED = -32000;
export const INTERNAL_ERROR = -32603;

/** The outcome of a prompt whose run ends with this event; undefined if the event ends no run. */
export function outcomeOf({ type, data, run_id }: Envelope): Outcome | undefined {
  if (type === "run.finished") return { stopReason: "end_turn" };
  if (type === "run.cancelled") return { stopReason: "cancelled" };
  if (type !== "run.failed") return undefined;
  const code = text(data, "code").toLowerCase();
  const stopReason = stops[code];
  if (stopReason) return { stopReason };
  return {
    code: code === "auth_error" ? AUTH_REQUIRED : INTERNAL_ERROR,
    message: maybe(data, "message") ?? "The run failed.",
    data: { code, runId: run_id },
  };
}

/** Failures that are ordinary ends of a turn for an editor. */
const stops: Readonly<Record<string, StopReason>> = {
  turn_limit: "max_turn_requests",
  context_exceeded: "max_tokens",
  interrupted: "cancelled",
  aborted: "cancelled",
  approval_rejected: "end_turn",
};
