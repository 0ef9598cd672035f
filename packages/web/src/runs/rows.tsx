import type { ApprovalRecord } from "@spoor/protocol/client";
import { useRef } from "react";
import type { RunGroup } from "./groups.ts";
import { RunRow } from "./run-row.tsx";
import styles from "./runs.module.css";
import { useVisibleRange } from "./use-visible-range.ts";

interface RowsProps {
  group: RunGroup;
  approvals: ReadonlyMap<string, ApprovalRecord>;
  selected: readonly string[];
  onSelect: (runId: string) => void;
  /** Only rows near the screen are mounted. For lists that are too long to be drawn whole. */
  isVirtual: boolean;
}

/** The rows under one heading. */
export function Rows({ group: { entries }, approvals, selected, onSelect, isVirtual }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const { first, last, rowHeight, kept } = useVisibleRange(list, entries.length, isVirtual);
  const indexes = isVirtual ? rangeOf(first, last, kept, entries.length) : entries.keys();
  return (
    <ul
      ref={list}
      className={`card ${styles.list}`}
      style={isVirtual ? { position: "relative", height: entries.length * rowHeight } : undefined}
    >
      {[...indexes].map((index) => {
        const entry = entries[index];
        if (!entry) return null;
        const { run_id } = entry.run;
        return (
          <RunRow
            key={run_id}
            entry={entry}
            approval={approvals.get(run_id)}
            isSelected={selected.includes(run_id)}
            onSelect={onSelect}
            {...(isVirtual && { place: { index, of: entries.length, top: index * rowHeight } })}
          />
        );
      })}
    </ul>
  );
}

/** The rows from `first` up to `last`, and the row that has the focus wherever it is. */
function rangeOf(first: number, last: number, kept: number | undefined, count: number): number[] {
  const indexes = new Set<number>(kept === undefined || kept >= count ? [] : [kept]);
  for (let index = first; index < Math.min(last, count); index += 1) indexes.add(index);
  return [...indexes].sort((one, other) => one - other);
}
