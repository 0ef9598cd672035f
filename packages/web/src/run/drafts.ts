import { type Stored, stored } from "../ui/stored.ts";

/** What was written for a run, or as the answer to one of its questions, and not sent yet. It survives a reload. */
export function draftOf(runId: string, questionId?: string): Stored<string> {
  const key = questionId === undefined ? runId : `${runId}.${questionId}`;
  let draft = drafts.get(key);
  if (!draft) {
    draft = stored(
      `draft.${key}`,
      (text) => text ?? "",
      (text) => (text === "" ? null : text),
    );
    drafts.set(key, draft);
  }
  return draft;
}

const drafts = new Map<string, Stored<string>>();
