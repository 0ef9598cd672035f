import type { Connection } from "../../live/connection.ts";

/** What a banner says about the connection. */
export type ConnectionNotice =
  | { readonly kind: "reconnecting"; readonly seconds: number }
  | { readonly kind: "gone"; readonly seconds: number }
  | { readonly kind: "back"; readonly events: number }
  | { readonly kind: "gap"; readonly events: number; readonly at: number }
  | { readonly kind: "log_replaced" }
  | { readonly kind: "old_page" };

/** A shorter break is only said in the bar. */
const BANNER_AFTER_MS = 5_000;

/** A shorter break is said nowhere, so its end is not, either. */
const NOTICED_AFTER_MS = 1_000;

const BACK_FOR_MS = 4_000;

/** So many attempts in a row that reach nobody mean that the server is gone. */
const GONE_AFTER = 3;

/** What to say, if anything. `dismissed` is the time of the gap that was closed. */
export function noticeOf(connection: Connection, now: number, dismissed = 0): ConnectionNotice | undefined {
  if (connection.state === "connecting") return undefined;
  if (connection.state === "stopped") return connection.why === "logged_out" ? undefined : { kind: connection.why };
  if (connection.state === "waiting") {
    const { since, nextAt, failures, code } = connection;
    const seconds = Math.max(0, Math.ceil((nextAt - now) / 1000));
    if (failures >= GONE_AFTER && code === "network") return { kind: "gone", seconds };
    return now - since >= BANNER_AFTER_MS ? { kind: "reconnecting", seconds } : undefined;
  }
  if (!connection.caughtUp) return undefined;
  const { events, at, since, gap } = connection.caughtUp;
  if (gap) return at > dismissed ? { kind: "gap", events, at } : undefined;
  const isShown = at - since >= NOTICED_AFTER_MS && now - at < BACK_FOR_MS;
  return isShown ? { kind: "back", events } : undefined;
}
