import type { RunView } from "@spoor/protocol";

/** What a run did last: something that is shown as code, and words of ours or of the agent. */
export interface LastWords {
  readonly code?: string;
  readonly words: string;
}

export function lastWords(view: RunView): LastWords {
  for (const { kind, index } of view.timeline.toReversed()) {
    if (kind === "tools") {
      const tool = view.tools[index];
      const code = view.shells[tool?.shells.at(-1) ?? -1]?.command ?? tool?.summary ?? tool?.name;
      if (tool && code) return { code, words: `${tool.state === "running" ? "started" : tool.state}.` };
    }
    if (kind === "messages")
      return { words: `“${view.messages[index]?.text.trim().split("\n").at(-1)?.slice(0, 120) ?? ""}”` };
    if (kind === "turns") return { words: `turn ${view.turns[index]?.number ?? ""} began.` };
  }
  return { words: "it started." };
}
