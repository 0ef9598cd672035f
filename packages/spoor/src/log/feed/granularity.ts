import type { Granularity } from "@spoor/protocol/api/values";
import type { Match } from "./feed.ts";

/** Which events each view shows. Events are left out, never merged or changed. */
const views: Record<Granularity, Match | undefined> = {
  delta: undefined,
  // Only Spoor's own deltas: a caller's type may end in _delta, too.
  block: (type: string) => !/^assistant\..*_delta$/.test(type) && type !== "tool.shell.output_chunk",
  turn: (type: string) => /^(?:run|approval|error|gap|turn(?!\.step_))\./.test(type) || wholeTexts.has(type),
};

const wholeTexts = new Set(["user.message", "assistant.text_complete", "assistant.final_answer"]);

/** The filter for a request. Equal requests get the same function, because logs and feeds cache by its identity. */
export function matchFor(granularity: Granularity, types?: readonly string[]): Match | undefined {
  const view = views[granularity];
  if (!types) return view;
  const key = `${granularity} ${types.join()}`;
  let match = cache.get(key);
  if (!match) {
    const isWanted = oneOfTypes(types);
    match = (type) => isWanted(type) && (view?.(type) ?? true);
    const oldest = cache.size >= MAX_CACHED ? cache.keys().next().value : undefined;
    if (oldest !== undefined) cache.delete(oldest);
    cache.set(key, match);
  }
  return match;
}

/** A type that ends in `.*` stands for all types that begin like it. */
function oneOfTypes(types: readonly string[]): Match {
  const names = new Set(types);
  const beginnings = types.filter((type) => type.endsWith(".*")).map((type) => type.slice(0, -1));
  return (type) => names.has(type) || beginnings.some((beginning) => type.startsWith(beginning));
}

const MAX_CACHED = 1_000;
const cache = new Map<string, Match>();
