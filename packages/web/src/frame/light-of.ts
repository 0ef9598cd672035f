import type { Connection } from "../live/connection.ts";

/** What the light in the bar shows. */
export function lightOf(connection: Connection, now: number): { tone: "" | "wait" | "off"; words: string } {
  if (connection.state === "live") return { tone: "", words: "Live" };
  if (connection.state === "connecting") return { tone: "wait", words: "Connecting" };
  if (connection.state === "stopped") return { tone: "off", words: stops[connection.why] };
  if (now - connection.since < 1000) return { tone: "", words: "Live" };
  const seconds = Math.ceil((connection.nextAt - now) / 1000);
  return { tone: "wait", words: seconds > 0 ? `Reconnecting in ${seconds} s` : "Reconnecting" };
}

const stops: Record<Extract<Connection, { state: "stopped" }>["why"], string> = {
  logged_out: "Logged out",
  log_replaced: "Log replaced",
  old_page: "Page is old",
};
