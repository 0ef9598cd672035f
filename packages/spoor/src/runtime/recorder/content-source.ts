import type { AgentEvent } from "@spoor/protocol";
import type { Attachment } from "../../agents/machine.ts";
import type { LogDraft } from "../../log/log.ts";
import type { ChangeDrafts, ChangePlace } from "./change-source.ts";

/** Contents that were stored beside an event. */
export interface KeptContents extends Pick<ChangeDrafts, "drafts" | "effects"> {
  /** Fields that the event's own envelopes get, by their type. */
  fields: AddedFields;
}

/** Fields that the envelopes of an event get, by their type. `false`: that envelope is left out, because it was told before. */
export type AddedFields = Readonly<Record<string, object | false>>;

/** Keeps large outputs, images and attachments as artifacts. Its methods never throw: the run goes on without it. */
export interface ContentSource {
  /** Looks at the next event before it is written. If it returns a promise, the stream waits for that. */
  look(event: AgentEvent, place: () => ChangePlace): Promise<KeptContents | undefined> | undefined;
  /** Names an attachment, which is stored later. Undefined if there are no bytes to store. */
  nameAttachment(attachment: Attachment): string | undefined;
  /** Stores the attachments under the ids that they were given. */
  keepAttachments(named: readonly NamedAttachment[], place: ChangePlace): Promise<KeptContents | undefined>;
}

/** An attachment, and the id of the artifact that it becomes. */
export interface NamedAttachment {
  artifact_id: string;
  attachment: Attachment;
}

/** Adds fields to the envelopes of an event. What the envelopes already say stays as it is. */
export const withFields = (drafts: readonly LogDraft[], fields: AddedFields): LogDraft[] =>
  drafts.flatMap((draft) => {
    const added = fields[draft.type];
    if (added === false) return [];
    return added ? { ...draft, json: JSON.stringify({ ...JSON.parse(draft.json), ...added }) } : draft;
  });
