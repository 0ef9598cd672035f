import type { NoteView } from "@spoor/protocol";
import { throughDoor } from "../../../text/through-door.ts";
import { count, plural, span } from "../../../ui/format.ts";
import type { Row } from "../row-types.ts";

/** Whether a note is worth a line. Checkpoints come twice in each turn, and the end of the run has its own row. */
export function isShownNote(note: NoteView, before: Row | undefined): boolean {
  if (hidden.has(note.type)) return false;
  // A line that repeats the one above it says nothing.
  return !(before?.kind === "note" && noteWords(before.note) === noteWords(note));
}

const hidden: ReadonlySet<string> = new Set([
  ...["run.checkpoint_saved", "session.checkpoint_saved", "run.aborted"],
  ...["run.finished", "run.failed", "run.cancelled"],
]);

/** A note in one line. */
export function noteWords({ type, data }: NoteView): string {
  return words[type]?.(data) ?? otherWords(type, data);
}

type Data = NoteView["data"];

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const because = (value: unknown): string => (text(value) === "" ? "" : `: ${text(value)}`);
const by = (value: unknown): string => throughDoor(text(value));
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const words: Readonly<Record<string, (data: Data) => string>> = {
  "policy.model_rewrote": ({ from_model, to_model, reason }) =>
    `The model changed from ${text(from_model)} to ${text(to_model)}${because(reason)}`,
  "limit.context_compacted": ({ tokens_saved }) =>
    `The agent compacted its context${number(tokens_saved) ? `, ${count(number(tokens_saved))} tokens less` : ""}`,
  "limit.rate_limited": ({ retry_after_ms }) =>
    `The provider limits the rate${number(retry_after_ms) ? ` for ${span(number(retry_after_ms) ?? 0)}` : ""}`,
  "run.paused": ({ by: who, reason }) => `Paused${by(who)}${because(reason)}`,
  "run.unpaused": ({ by: who }) => `Goes on${by(who)}`,
  "run.interrupted": ({ by: who, reason }) => `Interrupted${by(who)}${because(reason)}`,
  "run.resumed_from_event": () => "Continues an earlier run",
  "run.stream_fallback": () => "The agent does not stream; its texts arrive whole",
  "session.resumed": () => "The conversation was taken up again",
  "session.forked": () => "This is a copy of an earlier conversation",
  "policy.git_settings_changed": ({ files }) =>
    `${plural(Array.isArray(files) ? files.length : 0, "file")} changed from which git takes settings or runs programs. Look at them before you use git there.`,
  "policy.hook_completed": ({ hook, command }) => `The hook ${text(hook)} ran ${text(command)}`,
};

/** An event of a caller, or one that has no sentence here. */
function otherWords(type: string, data: Data): string {
  const said = [data.note, data.message, data.summary, data.title, data.status].map(text).find((value) => value !== "");
  if (said !== undefined) return `${text(data.type) || type}: ${said}`;
  const fields = Object.entries(data).slice(0, 4);
  const list = fields.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return list.length > 0 ? `${type}: ${list.join(", ").slice(0, 240)}` : type;
}
