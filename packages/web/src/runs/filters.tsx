import type { RunCounts, RunRecord } from "@spoor/protocol/client";
import { type RefObject, useMemo } from "react";
import { Icon } from "../ui/icon.tsx";
import { shownState } from "../ui/run-state.ts";
import { Segments } from "../ui/segments.tsx";
import { filterKeys, MAX_FILTER, type Segment, segments } from "./filter.ts";
import styles from "./runs.module.css";
import type { ListAddress } from "./use-list-address.ts";

interface FiltersProps {
  address: ListAddress;
  field: RefObject<HTMLInputElement | null>;
  counts: RunCounts | undefined;
  /** The runs that are known, among which all that are not over. */
  runs: readonly RunRecord[];
  now: number;
  onCompare: () => void;
}

const shown = ["all", "needs", "working", "stalled", "failed", "done"] as const satisfies Segment[];

/** The segments, the filter field, and what is selected. */
export function Filters({ address, field, counts, runs, now, onCompare }: FiltersProps) {
  const { text, segment, selected, filter } = address;
  const figures = useMemo(() => figuresOf(counts, runs, now), [counts, runs, now]);
  const value = segment === "queued" || segment === "cancelled" ? "all" : segment;
  return (
    <>
      <div className={styles.filters}>
        <Segments
          label="State"
          value={value}
          onChange={address.choose}
          options={shown.map((name) => ({
            value: name,
            name: (
              <>
                {segments[name].name}
                {(figures[name] ?? 0) > 0 && (
                  <span className={`count ${name === "needs" ? "needs" : ""}`}>{figures[name]}</span>
                )}
              </>
            ),
          }))}
        />
        <label className={styles.field}>
          <Icon name="search" small />
          <input
            ref={field}
            data-filter
            type="search"
            maxLength={MAX_FILTER}
            aria-label="Filter runs"
            aria-describedby={filter.unknown.length > 0 ? "filter-unknown" : undefined}
            placeholder="Filter by words or agent:codex"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => address.write(event.target.value)}
          />
          <kbd>/</kbd>
        </label>
        <span className="push" />
        {selected.length > 0 && (
          <button type="button" className="btn quiet no-phone" onClick={address.clearSelection}>
            {selected.length} selected
            <Icon name="cross" small />
          </button>
        )}
        <button type="button" className="btn quiet no-phone" onClick={onCompare}>
          <Icon name="compare" small />
          Compare <kbd>C</kbd>
        </button>
      </div>
      {filter.unknown.length > 0 && (
        <p id="filter-unknown" className={styles.unknown} role="status">
          {filter.unknown.map((key) => `“${key}”`).join(", ")} narrows nothing. Known are{" "}
          {filterKeys.map((key) => `${key}:`).join(", ")} and for status {Object.keys(segments).slice(1).join(", ")}.
        </p>
      )}
    </>
  );
}

/** Counts of the whole log; which runs are stalled only the page can say, and it knows all that work. */
function figuresOf(
  counts: RunCounts | undefined,
  runs: readonly RunRecord[],
  now: number,
): Partial<Record<Segment, number>> {
  const stalled = runs.filter((run) => shownState(run, now).id === "stalled").length;
  if (!counts) return { stalled };
  return {
    needs: counts.blocked,
    working: Math.max(0, counts.working - stalled),
    stalled,
    failed: counts.error,
  };
}
