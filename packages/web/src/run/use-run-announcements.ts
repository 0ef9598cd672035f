import type { RunView } from "@spoor/protocol";
import { useEffect, useRef } from "react";
import { announce } from "../ui/announce.ts";

/** Tells screen readers what happens in the open run: a turn began, a command failed, the run is over. */
export function useRunAnnouncements(view: RunView): void {
  const before = useRef<RunView>(undefined);
  useEffect(() => {
    const last = before.current;
    before.current = view;
    // What was there when the page opened is no news.
    if (!last || last.lastSequence < 0 || last.runId !== view.runId) return;
    const sentence = newsOf(last, view);
    if (sentence) announce(sentence);
  }, [view]);
}

/** The most important thing that happened between two views, in one sentence. */
function newsOf(last: RunView, view: RunView): string | undefined {
  if (view.end && !last.end)
    return { completed: "The run is done.", failed: "The run failed.", cancelled: "The run was cancelled." }[
      view.end.status
    ];
  const failed = view.tools.find(({ state }, index) => state === "failed" && last.tools[index]?.state !== "failed");
  if (failed) return failed.kind === "shell" ? "A command failed." : `${failed.name} failed.`;
  if (view.turn > last.turn) return `Turn ${view.turn} started.`;
  const said = view.messages.find(({ complete }, index) => complete && last.messages[index]?.complete !== true);
  return said ? "The agent finished a message." : undefined;
}
