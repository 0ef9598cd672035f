import type { ExitReason, FailureCode } from "@spoor/protocol";
import { errorTable } from "./error-table.ts";

/** The exit code of a command whose run ended like this: 0 only for a completed run. */
export function exitCodeOf({
  exitReason,
  error,
}: {
  exitReason: ExitReason;
  error: { code: FailureCode } | undefined;
}) {
  if (exitReason === "completed") return 0;
  // The result of a run that somebody stopped carries no error.
  const code = error?.code ?? (exitReason === "interrupted" ? "INTERRUPTED" : "ABORTED");
  return errorTable[code].exitCode;
}
