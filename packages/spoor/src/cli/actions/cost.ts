import type { RunCostRecord, UsageAnswer, UsageRow } from "@spoor/protocol/api";
import type { UsageGroup } from "@spoor/protocol/api/values";
import { readRunCost } from "../../runtime/usage/read-run-cost.ts";
import { readUsage } from "../../runtime/usage/read-usage.ts";
import { ExitError } from "../exit-error.ts";
import { findRun, findTask } from "../history/find-run.ts";
import { dollars } from "../history/format.ts";
import { refuseUnknownAgent } from "../history/known-agent.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { table, widthOf } from "../output/table.ts";

export interface CostOptions extends DataOption {
  by?: UsageGroup[];
  from?: number;
  to?: number;
  agent?: string;
  model?: string;
  task?: string;
  json?: true;
}

/** Shows what one run has cost, or what all runs have cost by group. */
export function showCost(typed: string | undefined, options: CostOptions, io: Io): Promise<void> {
  const { by, from, to, agent, model, task, json } = options;
  if (typed !== undefined && (by ?? from ?? to ?? agent ?? model ?? task) !== undefined) {
    throw new ExitError(
      2,
      "Name a run, or choose runs with --by, --from, --to, --agent, --model and --task, not both.",
    );
  }
  return withLog(options, async (log) => {
    if (typed !== undefined) {
      const cost = await readRunCost(log, await findRun(log, typed));
      if (json) printJson(io.stdout, cost, 2);
      else io.stdout.write(runText(cost));
      return;
    }
    if (agent !== undefined) await refuseUnknownAgent(log, agent);
    const usage = await readUsage(log, {
      ...(by && { by }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
      ...(task !== undefined && { task_id: (await findTask(log, task)).task_id }),
    });
    if (json) printJson(io.stdout, usage, 2);
    else io.stdout.write(usage.data.length === 0 ? "No runs.\n" : table(usageRows(usage), widthOf(io.stdout)));
  });
}

function runText({ turns, run, task, session }: RunCostRecord): string {
  const perTurn = turns.map(({ turn_index, model, ...cost }) => [
    `turn ${turn_index}`,
    ...costCells(cost),
    model ?? "",
  ]);
  const totals = [
    ["run", ...costCells(run)],
    ["task", ...costCells(task), plural(task.runs, "run")],
    ...(session ? [["session", ...costCells(session), plural(session.runs, "run")]] : []),
  ];
  return table([...perTurn, ...totals]);
}

const costCells = (cost: { cost_micros_usd: number; cost_source?: string } | undefined): [string, string] =>
  cost ? [dollars(cost.cost_micros_usd), sources[cost.cost_source ?? ""] ?? ""] : ["unknown", ""];

/** Where a cost comes from, in words. */
const sources: Readonly<Record<string, string>> = {
  billed: "billed",
  agent_reported: "reported by the agent",
  estimated: "estimated",
  mixed: "in part estimated",
};

function usageRows({ by, data, total }: UsageAnswer): string[][] {
  const headings = by.map((group) => group.toUpperCase());
  const cells = (row: Omit<UsageRow, "day">) => [
    String(row.runs),
    String(row.turns),
    row.runs === row.runs_without_cost ? "unknown" : dollars(row.cost_micros_usd),
    [
      sources[row.cost_source ?? ""] ?? "",
      row.runs_without_cost > 0 && row.runs_without_cost < row.runs
        ? `without ${plural(row.runs_without_cost, "run")}`
        : "",
    ]
      .filter(Boolean)
      .join(", "),
  ];
  return [
    [...headings, "RUNS", "TURNS", "COST", "SOURCE"],
    ...data.map((row) => [...by.map((group) => row[fields[group]] || "unknown"), ...cells(row)]),
    [...by.map((_, index) => (index === 0 ? "total" : "")), ...cells(total)],
  ];
}

const fields = {
  ...{ day: "day", agent: "agent", model: "model", task: "task_id", session: "session_id" },
} as const satisfies Record<UsageGroup, keyof UsageRow>;
