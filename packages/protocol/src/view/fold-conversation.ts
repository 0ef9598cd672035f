import { answerQuestion } from "./fold-approvals.ts";
import { turnNumber } from "./open-turn.ts";
import { type Handlers, key, oneOf, put, text, when } from "./payload-fields.ts";
import { addText, beginSpan, completeSpan } from "./text-spans.ts";
import type { AttachmentView, MessageView, PromptView } from "./types-talk.ts";
import type { ImageView } from "./types-work.ts";
import { add } from "./view-draft.ts";

export const conversation = {
  "user.message"(draft, data, envelope) {
    const prompt: PromptView = { text: text(data.text) ?? "", turn: turnNumber(draft, data.turn_index) };
    const via = oneOf(["prompt", "send", "steer", "queue", "answer"], data.via);
    const interactionId = key(data.interaction_id);
    add(draft, "prompts", put(prompt, { via, interactionId, at: when(envelope) }));
    if (interactionId !== undefined) answerQuestion(draft, interactionId, prompt.text, when(envelope));
  },
  "user.attachment"(draft, data, envelope) {
    const attachment: AttachmentView = { kind: key(data.kind) ?? "file", turn: turnNumber(draft, data.turn_index) };
    const more = { mime: key(data.mime), name: key(data.name), artifactId: key(data.artifact_id), at: when(envelope) };
    add(draft, "attachments", put(attachment, more));
  },
  "user.image_acknowledged"(draft, data, envelope) {
    const { attachments } = draft.lists;
    const mime = key(data.mime);
    for (let index = 0; index < attachments.length; index++) {
      const given = attachments.at(index);
      if (given?.acknowledged || given?.kind !== "image" || (given.mime ?? mime) !== mime) continue;
      attachments.edit(index).acknowledged = true;
      return;
    }
    // The image itself was not recorded; this event is the only trace of it.
    const image: AttachmentView = { kind: "image", turn: turnNumber(draft, data.turn_index), acknowledged: true };
    add(draft, "attachments", put(image, { mime, at: when(envelope) }));
  },

  "assistant.message_started"(draft, data, envelope) {
    beginSpan(draft, "messages", data, envelope);
  },
  "assistant.text_delta"(draft, data, envelope) {
    addText(draft, "messages", data, envelope);
  },
  "assistant.text_complete"(draft, data, envelope) {
    completeSpan(draft, "messages", data, envelope);
  },
  "assistant.thinking_started"(draft, data, envelope) {
    const thought = beginSpan(draft, "thoughts", data, envelope);
    put(draft.lists.thoughts.edit(thought), { effort: key(data.effort) });
  },
  "assistant.thinking_delta"(draft, data, envelope) {
    addText(draft, "thoughts", data, envelope);
  },
  "assistant.thinking_complete"(draft, data, envelope) {
    completeSpan(draft, "thoughts", data, envelope);
  },
  "assistant.final_answer"(draft, data, envelope) {
    const { messages } = draft.lists;
    const turn = turnNumber(draft, data.turn_index);
    const last = messages.at(messages.length - 1);
    if (last?.turn === turn && last.text === (text(data.summary) ?? last.text)) {
      messages.edit(messages.length - 1).final = true;
      return;
    }
    // Some writers store no text except the final answer.
    const answer: MessageView = { text: text(data.summary) ?? "", complete: true, turn, block: 0, final: true };
    add(draft, "messages", put(answer, { at: when(envelope) }));
  },
  "assistant.image_output"(draft, data, envelope) {
    const image: ImageView = { mime: key(data.mime) ?? "", turn: turnNumber(draft, data.turn_index) };
    const more = { filePath: key(data.file_path), artifactId: key(data.artifact_id), at: when(envelope) };
    add(draft, "images", put(image, { base64: text(data.base64), ...more }));
  },
} satisfies Handlers;
