import type { Effect } from "../../log/effects.ts";
import type { ArtifactDraft, ContentInput } from "../artifacts/index.ts";
import type { CommandOutput } from "./command-output.ts";
import { LARGE_OUTPUT_BYTES } from "./run-contents.ts";

/** What to write beside the end of a call whose output was kept. */
export interface KeptOutput {
  drafts: readonly ArtifactDraft[];
  effects: readonly Effect[];
  /** Names the artifact in the event that ends the call. */
  fields: { result_artifact_id?: string };
}

/** Keeps the output of a command of ours as an artifact if it is large. It never throws: the run goes on without it. */
export async function keepOutput(
  directory: string,
  output: CommandOutput,
  place: Pick<ContentInput, "run_id" | "task_id" | "tool_call_ids" | "limits">,
): Promise<KeptOutput> {
  if (output.size <= LARGE_OUTPUT_BYTES) return { drafts: [], effects: [], fields: {} };
  try {
    const { contentArtifact } = await import("../artifacts/index.ts");
    const { drafts, effects, artifact_ids } = await contentArtifact(directory, {
      ...place,
      ...{ kind: "command_output", mime: "text/plain", bytes: output.content() },
      summary: `output, ${output.size} bytes`,
      ...(output.isCut && { total_bytes: output.size }),
    });
    const [result_artifact_id] = artifact_ids;
    return { drafts, effects, fields: result_artifact_id === undefined ? {} : { result_artifact_id } };
  } catch (error) {
    const message = `An output could not be kept: ${(error as Error).message}`;
    return { drafts: [{ type: "debug.message", data: { level: "warn", message } }], effects: [], fields: {} };
  }
}
