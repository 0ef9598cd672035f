import type { RunRecord } from "@spoor/protocol/client";
import { day, localDay } from "../ui/format.ts";
import { shownState } from "../ui/run-state.ts";

/** A run, and the runs of its subagents that are folded under it. */
export interface RunEntry {
  readonly run: RunRecord;
  readonly children: readonly RunRecord[];
}

/** Runs under one heading. Its id is the same as long as the heading is. */
export interface RunGroup {
  readonly id: string;
  readonly name: string;
  readonly entries: readonly RunEntry[];
}

/** Sorts runs under their headings: Needs you, Going on, then the reader's local days. */
export function groupRuns(runs: readonly RunRecord[], now: number): RunGroup[] {
  const groups = new Map<string, { name: string; entries: RunEntry[] }>();
  for (const entry of foldSubagents(runs, now)) {
    const { id, name } = headingOf(entry.run, now);
    const group = groups.get(id) ?? { name, entries: [] };
    group.entries.push(entry);
    groups.set(id, group);
  }
  return [...groups]
    .map(([id, { name, entries }]) => ({ id, name, entries: entries.sort(byTime) }))
    .sort((one, other) => (rank(one.id) < rank(other.id) ? -1 : 1));
}

/** Subagents stand under their parent, except those that wait for a person, and those whose parent is not in the list. */
function foldSubagents(runs: readonly RunRecord[], now: number): RunEntry[] {
  const byId = new Map(runs.map((run) => [run.run_id, run]));
  const children = new Map<string, RunRecord[]>();
  const tops: RunRecord[] = [];
  for (const run of runs) {
    const parent = topParent(run, byId);
    if (parent === undefined || shownState(run, now).group === "needs") tops.push(run);
    else children.set(parent, [...(children.get(parent) ?? []), run]);
  }
  return tops.map((run) => ({ run, children: children.get(run.run_id)?.toReversed() ?? [] }));
}

/** The topmost ancestor that is in the list. A run that is its own ancestor has none. */
function topParent(run: RunRecord, byId: ReadonlyMap<string, RunRecord>): string | undefined {
  const seen = new Set([run.run_id]);
  let top: string | undefined;
  for (let at = run.parent_run_id; at !== undefined && !seen.has(at); at = byId.get(at)?.parent_run_id) {
    seen.add(at);
    if (byId.has(at)) top = at;
  }
  return top;
}

function headingOf(run: RunRecord, now: number): { id: string; name: string } {
  const { group } = shownState(run, now);
  if (group === "needs") return { id: "needs", name: "Needs you" };
  if (group === "going") return { id: "going", name: "Going on" };
  const at = new Date(timeOf(run));
  const id = localDay(at);
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (id === localDay(new Date(now))) return { id, name: "Today" };
  return { id, name: id === localDay(yesterday) ? "Yesterday" : day(at.getTime(), now) };
}

const timeOf = ({ ended_at, created_at }: RunRecord): number => Date.parse(ended_at ?? created_at);

const byTime = (one: RunEntry, other: RunEntry): number => timeOf(other.run) - timeOf(one.run);

/** Needs you, then Going on, then the days from the newest to the oldest. */
const rank = (id: string): string => (id === "needs" ? "0" : id === "going" ? "1" : `2${invert(id)}`);

const invert = (id: string): string => id.replaceAll(/\d/g, (digit) => String(9 - Number(digit)));
