import type { Granularity } from "@spoor/protocol/api/values";
import type { Match } from "../../log/feed/feed.ts";

/** What each view shows of the events. They are left out, never merged or changed. */
const views: Record<Granularity, Match | undefined> = {
  delta: undefined,
  // Of ours only: a caller's type may end so, too.
  block: (type: string) => !/^assistant\..*_delta$/.test(type) && type !== "tool.shell.output_chunk",
  turn: (type: string) => /^(?:run|approval|error|gap|turn(?!\.step_))\./.test(type) || wholeTexts.has(type),
};

const wholeTexts = new Set(["user.message", "assistant.text_complete", "assistant.final_answer"]);

/** The filter for a request; the same function for the same wish, since logs and feeds remember by identity. */
export function matchFor(granularity: Granularity, types?: readonly string[]): Match | undefined {
  const view = views[granularity];
  if (!types) return view;
  const key = `${granularity} ${types.join()}`;
  let match = made.get(key);
  if (!match) {
    const wanted = new Set(types);
    match = (type) => wanted.has(type) && (view?.(type) ?? true);
    const oldest = made.size >= MOST ? made.keys().next().value : undefined;
    if (oldest !== undefined) made.delete(oldest);
    made.set(key, match);
  }
  return match;
}

const MOST = 1_000;
const made = new Map<string, Match>();
