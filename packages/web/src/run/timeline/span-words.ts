import { throughDoor } from "../../text/through-door.ts";
import { visibleLine } from "../../text/visible.ts";
import { stepTime } from "../../ui/format.ts";
import type { IconName } from "../../ui/icon.tsx";
import { momentLabel } from "../replay/moment-label.ts";
import { verbOf } from "../tool-verbs.ts";
import type { Item } from "./lanes.ts";

/** What an item is, in words. `detail` is what an agent wrote, in one safe line. */
interface SpanWords {
  readonly title: string;
  readonly detail?: string;
  /** The detail is a command or a file. */
  readonly isCode: boolean;
  readonly icon: IconName;
}

export function wordsOf({ kind, span, isOpen }: Item): SpanWords {
  const detail = span.detail === undefined ? undefined : visibleLine(span.detail);
  const words = (title: string, icon: IconName, more = detail, isCode = false): SpanWords =>
    more === undefined ? { title, icon, isCode } : { title, icon, detail: more, isCode };
  switch (kind) {
    case "turn":
      return words(`Turn ${span.turn ?? ""}`.trim(), "clock", span.label && visibleLine(span.label));
    case "model":
      return words("Model", "thought", span.final ? "the final answer" : `turn ${span.turn ?? 0}`);
    case "thinking":
      return words("Thinking", "thought");
    case "wait":
      return words(
        isOpen ? (waiting[span.of ?? ""] ?? waits) : (waited[span.of ?? ""] ?? waitedFor),
        "needs",
        detail,
        true,
      );
    case "retry":
      return words("Waited to try again", "undo");
    case "subagent":
      return words(visibleLine(span.label ?? "Subagent"), "child", detail && `subagent: ${detail}`, true);
    case "tool": {
      const known = verbOf(span.of);
      const title = known?.verb ?? visibleLine(span.label ?? "Tool");
      return words(span.outcome === "blocked" ? `${title}, blocked` : title, known?.icon ?? "plug", detail, true);
    }
  }
}

const waitedFor = "Waited for an answer";
const waits = "Waits for an answer";
const waited: Readonly<Record<string, string>> = {
  approval: waitedFor,
  question: "Waited for a reply",
  pause: "Paused",
};
const waiting: Readonly<Record<string, string>> = {
  approval: waits,
  question: "Waits for a reply",
  pause: "Is paused",
};

/** The few words inside of a bar. */
export function barText(item: Item): string {
  const { kind, span, from, to } = item;
  const { title, detail } = wordsOf(item);
  if (kind === "turn") return title;
  if (kind === "model" || kind === "thinking") return "";
  if (kind === "wait") {
    const took = `${title.startsWith("Wait") ? title.split(" ", 1)[0] : title} ${momentLabel(to - from)}`;
    return detail ? `${took} · ${detail}` : took;
  }
  if (kind === "retry") return /\b[45]\d\d\b/.exec(detail ?? "")?.[0] ?? "again";
  return kind === "subagent" ? title : (detail ?? visibleLine(span.label ?? ""));
}

/** How long something took: milliseconds while it is short, then minutes and seconds. */
export const tookLabel = (ms: number): string => (ms < 1_000 ? stepTime(ms) : momentLabel(ms));

const outcomes: Readonly<Record<string, string>> = {
  failed: "failed",
  cancelled: "cancelled",
  timed_out: "timed out",
  blocked: "blocked",
  approved: "approved",
  rejected: "denied",
};

/** How it ended, if that is worth a word. */
export function outcomeWords({ span, kind, isOpen }: Item): string | undefined {
  if (kind === "model" || kind === "thinking") return undefined;
  if (isOpen) return "not over yet";
  if (kind === "wait" && span.outcome === "timed_out") return "no answer in time";
  const word = outcomes[span.outcome ?? ""];
  return word && `${word}${throughDoor(span.by)}`;
}
