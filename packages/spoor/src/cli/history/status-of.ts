import type { StoredRun } from "../../log/records.ts";

/** The status of a run, with the code of its error if it failed. */
export const statusOf = ({ status, error_code }: StoredRun): string =>
  status === "failed" && error_code !== undefined ? `failed: ${error_code}` : status;
