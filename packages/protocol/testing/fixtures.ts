import { agentEventTypes } from "../src/agent-events/catalog.ts";
import { envelopeRules, eventRules } from "../src/contract/rules.ts";
import type { Envelope } from "../src/envelope/envelope.ts";
import { envelopeMutations } from "./contract/envelope-mutations.ts";
import { eventMutations } from "./contract/event-mutations.ts";
import { storedOnly, stories } from "./stories/index.ts";

/**
 * Every fixture file by its path below `fixtures/`: the golden runs in both shapes, and for each rule a stream that breaks
 * it, named after the rule.
 */
export function fixtureFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [name, tell] of Object.entries(stories)) {
    const story = tell();
    files.set(`agent-events/${name}.jsonl`, jsonl(story.events));
    files.set(`envelopes/${name}.jsonl`, lines(story.envelopes()));
  }
  for (const [name, make] of Object.entries(storedOnly)) files.set(`envelopes/${name}.jsonl`, lines(make()));
  for (const [rule, text] of broken()) files.set(`broken/${rule}.jsonl`, text);
  return files;
}

function* broken(): Generator<[rule: string, text: string]> {
  const told = Object.values(stories).map((tell) => tell());
  for (const rule of Object.keys(eventRules)) {
    // Several runs in one file are checked separately, so mixing runs breaks no rule there.
    if (rule === "base.run") continue;
    const mutations = eventMutations.filter((mutation) => mutation.rule === rule);
    yield [
      rule,
      jsonl(
        firstBroken(
          mutations,
          told.map(({ events }) => events),
        ),
      ),
    ];
  }
  const stored = told.map((story) => story.envelopes().map((line): Envelope => JSON.parse(line)));
  for (const rule of Object.keys(envelopeRules)) {
    if (rule === "envelope.run") continue;
    const mutations = envelopeMutations.filter((mutation) => mutation.rule === rule);
    yield [rule, jsonl(firstBroken(mutations, stored))];
  }
}

interface Breaking<Item> {
  rule: string;
  sites(items: readonly Item[]): number[];
  apply(items: readonly Item[], site: number): Item[];
}

/** Applies a mutation to the shortest golden run that it can break. */
function firstBroken<Item>(mutations: Breaking<Item>[], streams: readonly (readonly Item[])[]): Item[] {
  const shortestFirst = streams.toSorted((a, b) => a.length - b.length);
  for (const items of shortestFirst) {
    for (const mutation of mutations) {
      const site = mutation.sites(items)[0];
      if (site !== undefined) return mutation.apply(items, site);
    }
  }
  throw new Error(`No golden run can be broken by ${mutations[0]?.rule ?? "no mutation"}.`);
}

/** AgentEvent types that no golden run contains. */
export function untoldTypes(): string[] {
  const told = new Set(Object.values(stories).flatMap((tell) => tell().events.map(({ type }) => type)));
  return agentEventTypes.filter((type) => !told.has(type));
}

const jsonl = (items: readonly object[]): string => lines(items.map((item) => JSON.stringify(item)));
const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");
