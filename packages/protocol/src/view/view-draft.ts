import { createList, type Editable, type List } from "./snapshot-list.ts";
import type { ListName, RunView, RunViewFacts, TimelineKind } from "./types.ts";
import { type Lookup, lookupOf } from "./view-index.ts";

/** The mutable form of a view that the fold works on. */
export interface Draft {
  readonly run: Editable<RunViewFacts>;
  readonly lists: { readonly [Name in ListName]: List<RunView[Name][number]> };
  readonly lookup: Lookup;
  /** How many bytes of output a shell keeps. */
  readonly shellOutputLimit: number;
}

export function createDraft(from: RunView, shellOutputLimit: number): Draft {
  const lists: Draft["lists"] = {
    timeline: createList(from.timeline),
    prompts: createList(from.prompts),
    attachments: createList(from.attachments),
    turns: createList(from.turns, ["toolCallIds"]),
    messages: createList(from.messages),
    thoughts: createList(from.thoughts),
    tools: createList(from.tools, ["shells", "files", "approvals", "details"]),
    shells: createList(from.shells, ["head", "tail"]),
    files: createList(from.files),
    approvals: createList(from.approvals),
    questions: createList(from.questions),
    subagents: createList(from.subagents),
    images: createList(from.images),
    errors: createList(from.errors),
    retries: createList(from.retries),
    gaps: createList(from.gaps),
    notes: createList(from.notes),
    opaque: createList(from.opaque),
    plugins: createList(from.plugins),
    skills: createList(from.skills),
    artifacts: createList(from.artifacts),
    debug: createList(from.debug),
  };
  const facts = Object.entries(from).filter(([name]) => !(name in lists));
  return {
    run: Object.fromEntries(facts) as unknown as Draft["run"],
    lists,
    lookup: lookupOf(from),
    shellOutputLimit,
  };
}

export function viewOfDraft({ run, lists }: Draft): RunView {
  const items = Object.entries(lists).map(([name, list]) => [name, list.snapshot()]);
  return { ...run, ...Object.fromEntries(items) } as RunView;
}

/** Adds an item of the event that is being applied, and its entry on the timeline. `tool` is the index of the call it belongs to. */
export function add<Kind extends TimelineKind>(
  { run, lists }: Draft,
  kind: Kind,
  item: RunView[Kind][number],
  tool?: number,
): number {
  const index = lists[kind].push(item);
  const sequence = run.lastSequence;
  lists.timeline.push(tool === undefined ? { kind, index, sequence } : { kind, index, sequence, tool });
  return index;
}
