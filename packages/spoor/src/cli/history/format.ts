import type { StoredRun } from "../../log/records.ts";

/** The status of a run, with the code of its error if it failed. */
export const statusOf = ({ status, error_code }: StoredRun): string =>
  status === "failed" && error_code !== undefined ? `failed: ${error_code}` : status;

/** An amount of money; empty if it is unknown. */
export const dollars = (micros: number | undefined): string =>
  micros === undefined ? "" : `$${(micros / 1_000_000).toFixed(micros >= 1_000_000 ? 2 : 4)}`;

/** How long ago a time was, in one unit. */
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
