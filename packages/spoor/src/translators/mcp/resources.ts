import { instant } from "@spoor/protocol/lines";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { McpRefusal } from "./answers/refusal.ts";
import { type McpContext, readingTools } from "./tools/index.ts";

/** What a resource is read with: a tool, and its arguments. */
interface Reading {
  tool: string;
  input: Record<string, unknown>;
}

/** A kind of resource. `{run_id}` in its address stands for a run. */
interface ResourceKind {
  address: string;
  name: string;
  title: string;
  description: string;
  read(run_id: string, part: string): Reading;
}

const kinds: readonly ResourceKind[] = [
  {
    address: "spoor://runs",
    name: "runs",
    title: "Runs",
    description: "The newest runs.",
    read: () => ({ tool: "list_runs", input: {} }),
  },
  {
    address: "spoor://approvals",
    name: "approvals",
    title: "Open approvals",
    description: "What waits for a person's permission.",
    read: () => ({ tool: "list_approvals", input: {} }),
  },
  {
    address: "spoor://usage",
    name: "usage",
    title: "Cost by day",
    description: "What runs have cost, by day.",
    read: () => ({ tool: "usage", input: {} }),
  },
  {
    address: "spoor://runs/{run_id}",
    name: "run",
    title: "A run",
    description: "The summary of a run.",
    read: (run) => ({ tool: "read_run", input: { run } }),
  },
  {
    address: "spoor://runs/{run_id}/messages",
    name: "run_messages",
    title: "The conversation of a run",
    description: "Prompts, answers, turns, approvals and errors of a run: its first page.",
    read: (run) => ({ tool: "read_run", input: { run, granularity: "turn" } }),
  },
  {
    address: "spoor://runs/{run_id}/diff",
    name: "run_diff",
    title: "What a run changed",
    description: "Everything a run changed, as one diff: its first page.",
    read: (run) => ({ tool: "run_diff", input: { run } }),
  },
  {
    address: "spoor://runs/{run_id}/cost",
    name: "run_cost",
    title: "What a run cost",
    description: "The cost of a run by turn, and in all.",
    read: (run) => ({ tool: "run_cost", input: { run } }),
  },
  {
    address: "spoor://runs/{run_id}/events/{sequence}",
    name: "run_event",
    title: "An event of a run",
    description: "One event of a run: its first page.",
    read: (run, sequence) => ({ tool: "read_event", input: { run, sequence: Number(sequence) } }),
  },
];

const isTemplate = ({ address }: ResourceKind): boolean => address.includes("{");

/** Data of the log, for the model and not for a screen. */
const annotations = { audience: ["assistant" as const], priority: 0.3 };
const mimeType = "text/plain";

/** The addresses with a run in them. */
export const resourceTemplates = () =>
  kinds.filter(isTemplate).map(({ address, ...kind }) => ({ uriTemplate: address, ...about(kind) }));

const about = ({ name, title, description }: Omit<ResourceKind, "address">) => ({
  name,
  title,
  description,
  mimeType,
  annotations,
});

/** How many runs a page of the list has. */
const PAGE = 50;

/**
 * A page of resources: the fixed ones, then runs, newest first. Names hold nothing that agents wrote: clients show them to
 * models without a mark.
 */
export async function listResources(context: McpContext, before: string | undefined) {
  const fixed = before === undefined ? kinds.filter((kind) => !isTemplate(kind)) : [];
  const { runs, more } = await runsBefore(context, before);
  const last = runs.at(-1);
  return {
    resources: [...fixed.map(({ address, ...kind }) => ({ uri: address, ...about(kind) })), ...runs.map(runResource)],
    ...(more && last && { nextCursor: last.run_id }),
  };
}

async function runsBefore(context: McpContext, before: string | undefined): ReturnType<Log["runs"]> {
  const log = await context.log().catch((error: unknown) => {
    if (error instanceof McpRefusal) return undefined;
    throw error;
  });
  if (!log) return { runs: [], more: false };
  return log.runs({ limit: PAGE, hide_renormalized: true, ...(before !== undefined && { before }) });
}

const runResource = ({ run_id, status, created_at, updated_at }: StoredRun) => ({
  uri: `spoor://runs/${run_id}`,
  name: run_id,
  title: `Run of ${instant(created_at)}`,
  description: `A recorded run; ${status}.`,
  mimeType,
  annotations: { ...annotations, lastModified: instant(updated_at) },
});

/** Which tool answers for an address. Undefined if there is no such resource. */
export function readingOf(
  uri: string,
): { tool: (typeof readingTools)[number]; input: Record<string, unknown> } | undefined {
  for (const { address, read } of kinds) {
    const [, run_id = "", part = ""] = patternOf(address).exec(uri) ?? [];
    if (!patternOf(address).test(uri)) continue;
    const { tool: name, input } = read(run_id, part);
    const tool = readingTools.find((each) => each.name === name);
    if (tool) return { tool, input };
  }
  return undefined;
}

const patternOf = (address: string): RegExp =>
  new RegExp(`^${address.replace("{run_id}", "([\\w…-]{1,60})").replace("{sequence}", "(\\d{1,15})")}$`);

/** Values for an argument of a template: runs whose id begins so. */
export async function completeArgument(context: McpContext, name: string, typed: string): Promise<string[]> {
  if (name !== "run_id") return [];
  const { runs } = await runsBefore(context, undefined);
  return ["last", ...runs.map(({ run_id }) => run_id)].filter((each) =>
    each.toLowerCase().startsWith(typed.toLowerCase()),
  );
}
