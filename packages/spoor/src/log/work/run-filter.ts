import type { RunFacts, RunQuery } from "../records.ts";
import { lower, type RunTexts } from "./searchable.ts";

/** Whether a query asks for what has no column, so that rows must be looked at one by one. */
export const filtersFacts = ({ q, model, state, path, agent }: RunQuery): boolean =>
  [q, model, state, path].some((value) => value !== undefined) || (agent?.includes("*") ?? false);

/** Whether a query looks into the texts of runs, which must be brought up to date first. */
export const filtersTexts = ({ q = "", path }: RunQuery): boolean =>
  q.trim() !== "" || (path !== undefined && !isAbsolute(path));

/** What a filter looks at. */
export interface FilteredRun {
  run_id: string;
  agent: string;
  facts: RunFacts;
  texts: RunTexts;
}

/** Returns a function that says whether a run is one that the query asks for. */
export function createRunFilter({ q = "", model, state, path, agent }: RunQuery): (run: FilteredRun) => boolean {
  const words = lower(q).split(/\s+/).filter(Boolean);
  const isModel = model?.includes("*") ? patternOf(model) : (name: string) => model === undefined || name === model;
  const isAgent = agent?.includes("*") ? patternOf(agent) : () => true;
  const isPath = path === undefined ? () => true : pathFilter(path);
  return (run) => {
    const { run_id, facts, texts } = run;
    if (!isAgent(run.agent) || !isModel(facts.model ?? "")) return false;
    if (state !== undefined && facts.state !== state) return false;
    if (!isPath(run)) return false;
    if (words.length === 0) return true;
    const row = lower(
      `${facts.title ?? ""}\n${run_id}\n${run.agent}\n${facts.model ?? ""}\n${facts.workspace_path ?? ""}`,
    );
    return words.every((word) => row.includes(word) || texts.prompts.includes(word) || texts.paths.includes(word));
  };
}

/** An absolute path is the run's directory or one above it. Other text occurs in its path or in that of a changed file. */
function pathFilter(path: string): (run: FilteredRun) => boolean {
  if (isAbsolute(path)) {
    const folder = path.replace(/(?<=.)[\\/]+$/, "");
    return ({ facts }) => isWithin(String(facts.workspace_path ?? ""), folder);
  }
  const part = lower(path);
  return ({ facts, texts }) => texts.paths.includes(part) || lower(facts.workspace_path ?? "").includes(part);
}

const isAbsolute = (path: string): boolean => /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path);

function isWithin(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false;
  const next = path[folder.length];
  return next === undefined || next === "/" || next === "\\" || /[\\/]$/.test(folder);
}

/** `*` stands for any text. A regular expression with many of them could take for ever; this takes one pass. */
export function patternOf(pattern: string): (text: string) => boolean {
  const parts = lower(pattern).split("*");
  const [first = ""] = parts;
  const last = parts.at(-1) ?? "";
  return (name) => {
    const text = lower(name);
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
    let at = first.length;
    for (const part of parts.slice(1, -1)) {
      at = text.indexOf(part, at);
      if (at === -1) return false;
      at += part.length;
    }
    return at <= text.length - last.length;
  };
}
