import type {
  CreateElicitationRequest,
  RequestPermissionRequest,
  SessionNotification,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Envelope } from "@spoor/protocol";

/**
 * What an editor is told or asked. A request is only sent while its answer is still awaited. `only: "replay"` marks what an
 * editor knows already of a prompt that it sent itself.
 */
export type AcpMessage =
  | { readonly method: "session/update"; readonly params: SessionNotification; readonly only?: "replay" }
  | { readonly method: "session/request_permission"; readonly params: RequestPermissionRequest }
  | { readonly method: "elicitation/create"; readonly params: CreateElicitationRequest };

/** The field of `_meta` that joins a message to the event it was made from. */
export const EVENT_META = "spoor/event";

/** Names the event that a message was made from. */
export const metaOf = ({ run_id, sequence, event_id }: Envelope): Record<string, unknown> => ({
  [EVENT_META]: { runId: run_id, sequence, eventId: event_id },
});

/** The session that an event belongs to: its task. */
export const sessionIdOf = ({ task_id, run_id }: Envelope): string => task_id ?? run_id;

/** An update of the session that the event belongs to. */
export const updateOf = (envelope: Envelope, update: SessionUpdate, only?: "replay"): AcpMessage => ({
  method: "session/update",
  params: { sessionId: sessionIdOf(envelope), update, _meta: metaOf(envelope) },
  ...(only && { only }),
});

/** The answers that a request for permission offers. */
export const permissionOptions: RequestPermissionRequest["options"] = [
  { optionId: "approve", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];
