import { type createSpanFold, type TimeParts, timeParts } from "@spoor/protocol";
import { clock } from "../output/format.ts";
import type { Part } from "../output/line.ts";
import type { Role } from "../output/style.ts";

type Spans = ReturnType<ReturnType<typeof createSpanFold>["snapshot"]>;

/** Where the time of a run went: in words, and as a bar. In a narrow terminal, the shortest parts and the bar are left out. */
export function timeLine({ spans, end, last }: Spans): Part[] {
  const parts = timeParts(spans, end ?? last);
  if (parts.whole === 0) return [];
  const some = shown.filter(({ part }) => parts[part] >= 1_000 || parts[part] / parts.whole >= 0.05);
  const sorted = some.map(({ part }) => part).sort((a, b) => parts[b] - parts[a]);
  const words = some.map(
    ({ part, word }, index): Part => ({
      text: `${word} ${clock(parts[part])}`,
      ...(index > 0 && { join: " · " }),
      leaves: sorted.indexOf(part) + 1,
    }),
  );
  const bar = some.map(({ part, fill, role }, index): Part => {
    const length = Math.max(1, Math.round((parts[part] / parts.whole) * BAR));
    return { text: fill.repeat(length), role, leaves: shown.length + 1, join: index === 0 ? "   " : "" };
  });
  return [...words, ...bar];
}

const shown: readonly { part: Exclude<keyof TimeParts, "whole">; word: string; fill: string; role: Role }[] = [
  { part: "model", word: "model", fill: "█", role: "blue" },
  { part: "tool", word: "tools", fill: "█", role: "cyan" },
  { part: "waiting", word: "waiting", fill: "░", role: "yellow" },
  { part: "retrying", word: "retrying", fill: "░", role: "magenta" },
  { part: "idle", word: "idle", fill: "░", role: "dim" },
];

const BAR = 20;
