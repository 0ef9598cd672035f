import type { ChatStatus } from "@spoor/protocol/api";
import type { Log } from "../../log/log.ts";
import { defaultsIn } from "./spec.ts";

/** What clients rely on beyond the base of the protocol. Names are added, and none is removed. */
export const CAPABILITIES = [
  "error.structured",
  "stream.sse",
  "workspace.path",
  "session.resume",
  "close.choice",
  "approval.status",
] as const;

/** The handshake: the version of the protocol, what the server can do, and how busy it is. */
export async function readStatus(log: Log, queued: number): Promise<ChatStatus> {
  const { counts } = await log.runs({ limit: 1, counts: true });
  return {
    ok: true,
    service: "spoor",
    protocol_version: "1",
    capabilities: CAPABILITIES.join(", "),
    ...defaultsIn(process.cwd()),
    providers: [],
    provider_auth: [],
    permissions: "ask",
    tasks_total: counts?.total ?? 0,
    tasks_running: (counts?.working ?? 0) + (counts?.blocked ?? 0),
    rpc_queue_length: queued,
  };
}
