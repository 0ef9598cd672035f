/** The values of artifacts without their schemas, for programs that must start fast. */

/** The kinds of artifacts. */
export const artifactKinds = [
  "patch",
  "file_snapshot",
  "command_output",
  "fetched_resource",
  "search_results",
  "image",
  "tool_result_blob",
] as const;

/** The statuses of a patch. */
export const artifactStatuses = ["proposed", "applied", "rejected", "reverted", "conflict"] as const;
