import type { RunStart } from "../../run/observer.ts";
import type { ContentSource, NamedAttachment } from "./content-source.ts";
import type { Opening } from "./opening.ts";
import type { Continued } from "./run-writers.ts";

/** What a request says about the beginning of its run. */
export const openingOf = (
  { request, rewrite, command }: RunStart,
  at: number,
  named: readonly NamedAttachment[],
): Opening => ({
  at,
  model: rewrite?.from_model ?? request.model,
  workspace_path: request.cwd,
  agent_command: command,
  prompt: request.prompt,
  attachments: request.attachments?.map((attachment) => {
    const artifact_id = named.find((each) => each.attachment === attachment)?.artifact_id;
    const { name, mimeType } = attachment;
    return {
      kind: mimeType.startsWith("image/") ? "image" : "file",
      mime: mimeType,
      name,
      ...(artifact_id !== undefined && { artifact_id }),
    };
  }),
});

/** The attachments of a request that can be stored, each with the id that it will have. */
export function nameAttachments(
  { request: { attachments = [] } }: RunStart,
  contents: ContentSource | undefined,
): NamedAttachment[] {
  return attachments.flatMap((attachment) => {
    const artifact_id = contents?.nameAttachment(attachment);
    return artifact_id === undefined ? [] : [{ artifact_id, attachment }];
  });
}

/** The session that a request continues. */
export function continuedBy({ request: { fork, resume } }: RunStart): Continued | undefined {
  if (fork !== undefined) return { native: fork, reason: "fork" };
  return resume === undefined ? undefined : { native: resume, reason: "resume" };
}
