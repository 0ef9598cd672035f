import type { RunEntry, RunGroup } from "./groups.ts";

/**
 * Keeps every row where it was, while a pointer is over the list: rows show their newest state, but none changes its group
 * or place, and new ones wait. Rows that are gone leave. Older ones, which scrolling read, come at the end, where they move
 * nothing.
 */
export function holdPlaces(before: readonly RunGroup[], after: readonly RunGroup[]): RunGroup[] {
  const newest = new Map<string, RunEntry>();
  for (const { entries } of after) for (const entry of entries) newest.set(entry.run.run_id, entry);
  const held = before
    .map((group) => ({ ...group, entries: group.entries.flatMap(({ run }) => newest.get(run.run_id) ?? []) }))
    .filter(({ entries }) => entries.length > 0);
  for (const group of olderThan(held, after)) {
    const same = held.find(({ id }) => id === group.id);
    if (same) same.entries.push(...group.entries);
    else held.push(group);
  }
  return held;
}

/** What comes after all of the rows that are shown. */
function olderThan(shown: readonly RunGroup[], after: readonly RunGroup[]): (RunGroup & { entries: RunEntry[] })[] {
  const known = new Set(shown.flatMap(({ entries }) => entries.map(({ run }) => run.run_id)));
  const isKnown = ({ run }: RunEntry) => known.has(run.run_id);
  const last = after.findLastIndex(({ entries }) => entries.some(isKnown));
  if (last === -1) return [];
  return after
    .slice(last)
    .map((group, index) => ({
      ...group,
      entries: group.entries.slice(index === 0 ? group.entries.findLastIndex(isKnown) + 1 : 0),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** How many runs of `after` are not shown yet. */
export function countNew(shown: readonly RunGroup[], after: readonly RunGroup[]): number {
  const known = new Set(shown.flatMap(({ entries }) => entries.map(({ run }) => run.run_id)));
  return after.reduce((sum, { entries }) => sum + entries.filter(({ run }) => !known.has(run.run_id)).length, 0);
}
