import type { RetentionPolicy } from "../../runtime/retention.ts";
import { ExitError } from "../exit-error.ts";
import { duration } from "./time-spans.ts";

/** Reads a limit of what is kept: an age, a number of runs or a size. A flag that is repeated adds to the limits before. */
export function keepLimit(text: string, before: RetentionPolicy = {}): RetentionPolicy {
  const [, runs] = /^(\d+) ?runs?$/i.exec(text) ?? [];
  if (runs !== undefined && Number(runs) > 0) return { ...before, max_runs: Number(runs) };
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([kmgt])i?b?$/i.exec(isAge(text) ? "" : text) ?? [];
  if (amount !== undefined) {
    return { ...before, max_bytes: Math.round(Number(amount) * 1024 ** ("kmgt".indexOf(unit.toLowerCase()) + 1)) };
  }
  if (isAge(text)) return { ...before, max_age_ms: duration("--keep")(text) };
  throw new ExitError(
    2,
    `--keep takes an age such as 30d, a number such as 500runs, or a size such as 10GB, not ${text}.`,
  );
}

/** `30m` is an age, as in all other flags; `30MB` is a size. */
const isAge = (text: string): boolean => /^(\d+(\.\d+)?(ms|[smhdw]))+$/.test(text);
