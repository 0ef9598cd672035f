import { useMemo } from "react";
import { useSearchParams } from "wouter";
import { isEmpty, parseFilter, type Segment, segmentOf } from "./filter.ts";

/** What the list shows, as the address says it: `?q=agent:codex words&state=failed&select=run_1&select=run_2`. */
export function useListAddress() {
  const [parameters, set] = useSearchParams();
  const text = parameters.get("q") ?? "";
  const segment: Segment = segmentOf(parameters.get("state") ?? "") ?? "all";
  const selection = parameters.getAll("select").join();
  const filter = useMemo(() => parseFilter(text), [text]);
  const selected = useMemo(() => selection.split(",").filter(Boolean), [selection]);

  const change = (edit: (after: URLSearchParams) => void, replace = true) =>
    set(
      (before) => {
        const after = new URLSearchParams(before);
        edit(after);
        return after;
      },
      { replace },
    );
  const put = (name: string, value: string) =>
    change((after) => (value === "" ? after.delete(name) : after.set(name, value)));

  return {
    text,
    filter,
    segment,
    selected,
    isFiltered: !isEmpty(filter, segment),
    write: (words: string) => put("q", words),
    choose: (name: Segment) => put("state", name === "all" ? "" : name),
    clear: () =>
      change((after) => {
        after.delete("q");
        after.delete("state");
      }),
    toggle: (runId: string) =>
      change((after) => {
        const rest = selected.filter((id) => id !== runId);
        after.delete("select");
        for (const id of rest.length < selected.length ? rest : [...selected, runId]) after.append("select", id);
      }),
    clearSelection: () => change((after) => after.delete("select")),
    openNewRun: () => change((after) => after.set("new", ""), false),
  };
}

export type ListAddress = ReturnType<typeof useListAddress>;
