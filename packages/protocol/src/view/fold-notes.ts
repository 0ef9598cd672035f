import type { Envelope } from "../envelope/envelope.ts";
import { type Handlers, oneOf, put, text, when } from "./payload-fields.ts";
import type { DebugView, NoteView } from "./types.ts";
import { add, type Draft } from "./view-draft.ts";

/** Debug lines can outnumber everything else, so only the latest are kept: between this number and twice as many. */
const DEBUG_KEPT = 500;

/** Adds a known event unchanged to the notes. */
export function note(draft: Draft, _data: object, envelope: Envelope): void {
  add(draft, "notes", put<NoteView>({ type: envelope.type, data: envelope.data }, { at: when(envelope) }));
}

export const notes = {
  "policy.model_rewrote"(draft, data, envelope) {
    put(draft.run, { model: text(data.to_model) });
    note(draft, data, envelope);
  },
  "policy.git_settings_changed": note,
  "policy.hook_completed": note,
  "external.event": note,
  // This event only asks readers to load the task's record again.
  "task.updated"() {},
  "debug.message"(draft, data, envelope) {
    const from = oneOf(["verbose", "info", "warn"], data.level) ?? "info";
    keep(draft, put<DebugView>({ from, text: text(data.message) ?? "" }, { at: when(envelope) }));
  },
  "debug.log"(draft, data, envelope) {
    const from = oneOf(["stdout", "stderr"], data.stream) ?? "stderr";
    keep(draft, put<DebugView>({ from, text: text(data.line) ?? "" }, { at: when(envelope) }));
  },
} satisfies Handlers;

function keep({ run, lists: { debug } }: Draft, line: DebugView): void {
  debug.push(line);
  if (debug.length <= 2 * DEBUG_KEPT) return;
  run.debugOmitted += debug.length - DEBUG_KEPT;
  debug.dropFirst(debug.length - DEBUG_KEPT);
}
