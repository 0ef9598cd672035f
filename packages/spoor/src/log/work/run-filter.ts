import type { RunFacts, RunQuery } from "../records.ts";

/** Whether a query asks for facts that have no column, so that rows must be looked at one by one. */
export const filtersFacts = ({ q, model, state, path }: RunQuery): boolean =>
  q !== undefined || model !== undefined || state !== undefined || path !== undefined;

/** Returns a function that says whether a run has the facts that the query asks for. */
export function createFactFilter({
  q = "",
  model,
  state,
  path,
}: RunQuery): (run_id: string, facts: RunFacts) => boolean {
  const words = lower(q).split(/\s+/).filter(Boolean);
  const folder = path?.replace(/(?<=.)[\\/]+$/, "");
  return (run_id, facts) => {
    if (model !== undefined && facts.model !== model) return false;
    if (state !== undefined && facts.state !== state) return false;
    if (folder !== undefined && !isWithin(String(facts.workspace_path ?? ""), folder)) return false;
    if (words.length === 0) return true;
    const text = lower(`${facts.title ?? ""} ${run_id}`);
    return words.every((word) => text.includes(word));
  };
}

const lower = (text: string): string => text.normalize("NFC").toLowerCase();

function isWithin(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false;
  const next = path[folder.length];
  return next === undefined || next === "/" || next === "\\" || /[\\/]$/.test(folder);
}
