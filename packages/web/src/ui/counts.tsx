import { count } from "./format.ts";

interface LineCounts {
  readonly additions?: number | undefined;
  readonly deletions?: number | undefined;
}

/** Lines added and removed: `+4 −2`. What is zero or not known is left out. */
export function Counts({
  additions = 0,
  deletions = 0,
  className = "mono",
}: LineCounts & { className?: string | undefined }) {
  if (additions + deletions === 0) return null;
  return (
    <span className={`${className} num`}>
      {additions > 0 && <span className="plus">+{count(additions)}</span>}
      {additions > 0 && deletions > 0 && " "}
      {deletions > 0 && <span className="minus">−{count(deletions)}</span>}
    </span>
  );
}

/** The lines that several changes add and remove together. */
export const sumCounts = (parts: readonly LineCounts[]): { additions: number; deletions: number } => ({
  additions: parts.reduce((sum, { additions = 0 }) => sum + additions, 0),
  deletions: parts.reduce((sum, { deletions = 0 }) => sum + deletions, 0),
});

/** What changes of one file come to. Of a file that the run made, no line was there before that could be removed. */
export function netCounts(parts: readonly LineCounts[], isNew: boolean): { additions: number; deletions: number } {
  const { additions, deletions } = sumCounts(parts);
  return isNew ? { additions: Math.max(0, additions - deletions), deletions: 0 } : { additions, deletions };
}
