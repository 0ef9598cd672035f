import type { SpoorClientError } from "./errors.ts";

/**
 * The state of a hub's connection.
 *
 * - `connecting`: before the first answer of the server.
 * - `live`: everything that happens arrives. After a break, `caughtUp` follows as soon as everything missed was delivered.
 * - `waiting`: the connection broke at `since`, or was never there; the next attempt is made at `nextAt`, or is under way
 *   when that is past. `failures` counts attempts in a row that did not reach the server. `code` says what went wrong.
 * - `stopped`: the hub does not go on by itself. `logged_out`: the server wants a login; `connectNow` tries again.
 *   `log_replaced`: the server's log ends before what was delivered. `old_page`: the server sends a newer schema version.
 */
export type HubState =
  | { readonly state: "connecting" }
  | { readonly state: "live"; readonly caughtUp?: CaughtUp }
  | {
      readonly state: "waiting";
      readonly since: number;
      readonly nextAt: number;
      readonly failures: number;
      readonly code?: string;
    }
  | { readonly state: "stopped"; readonly why: StopReason };

export type StopReason = "logged_out" | "log_replaced" | "old_page";

/** What came in after a break. */
export interface CaughtUp {
  /** When the connection broke, in epoch milliseconds. */
  readonly since: number;
  /** How many events. One that several subscriptions deliver counts once. */
  readonly events: number;
  /** When everything was delivered, in epoch milliseconds. */
  readonly at: number;
  /** Whether the server says that events are missing. The `gap.*` event that it sends says which. */
  readonly gap: boolean;
}

/** Why a hub cannot go on after an error; undefined when it can. */
export function stopReason({ status, code }: SpoorClientError): StopReason | undefined {
  if (status === 401 || code === "bad_token") return "logged_out";
  if (code === "cursor_ahead") return "log_replaced";
  return code === "unsupported_schema" ? "old_page" : undefined;
}
