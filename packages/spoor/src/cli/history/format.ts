import type { RunRecord } from "../../log/records.ts";

/** How a run stands, in a word. */
export const statusOf = ({ status, error_code }: RunRecord): string =>
  status === "failed" && error_code !== undefined ? `failed: ${error_code}` : status;

/** Money as people read it; nothing where nothing is known. */
export const dollars = (micros: number | undefined): string =>
  micros === undefined ? "" : `$${(micros / 1_000_000).toFixed(micros >= 1_000_000 ? 2 : 4)}`;

/** How long ago, roughly. */
export function ago(time: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  const [amount, unit] =
    seconds < 60
      ? [seconds, "s"]
      : seconds < 3600
        ? [Math.round(seconds / 60), "min"]
        : seconds < 86_400
          ? [Math.round(seconds / 3600), "h"]
          : [Math.round(seconds / 86_400), "d"];
  return `${amount} ${unit} ago`;
}
