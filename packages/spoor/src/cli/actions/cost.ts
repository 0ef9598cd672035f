import type { RunCostRecord, UsageAnswer, UsageRow } from "@spoor/protocol/api";
import type { UsageGroup } from "@spoor/protocol/api/values";
import { readRunCost } from "../../runtime/usage/read-run-cost.ts";
import { readUsage, runsOf } from "../../runtime/usage/read-usage.ts";
import { ExitError } from "../exit-error.ts";
import { costByDay } from "../history/cost-by-day.ts";
import { findRun, findTask } from "../history/find-run.ts";
import { refuseUnknownAgent } from "../history/known-agent.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { dollars } from "../output/format.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { type Style, styleOf } from "../output/style.ts";
import { table } from "../output/table.ts";

export interface CostOptions extends DataOption {
  by?: UsageGroup[];
  from?: number;
  to?: number;
  agent?: string;
  model?: string;
  task?: string;
  /** How many days, today included. */
  days?: number;
  json?: true;
}

/** Shows what one run has cost, or what all runs have cost by group. */
export function showCost(typed: string | undefined, options: CostOptions, io: Io): Promise<void> {
  const { by, to, agent, model, task, json, days } = options;
  const from = options.from ?? (days === undefined ? undefined : startOfDay(days));
  if (days !== undefined && (by !== undefined || options.from !== undefined))
    throw new ExitError(2, "--days shows days by agent from a day on: leave out --by and --from.");
  if (typed !== undefined && (by ?? from ?? to ?? agent ?? model ?? task) !== undefined) {
    throw new ExitError(
      2,
      "Name a run, or choose runs with --by, --from, --to, --days, --agent, --model and --task, not both.",
    );
  }
  return withLog(options, async (log) => {
    if (typed !== undefined) {
      const cost = await readRunCost(log, await findRun(log, typed));
      if (json) printJson(io.stdout, cost, 2);
      else io.stdout.write(runText(cost, styleOf(io.stdout)));
      return;
    }
    if (agent !== undefined) await refuseUnknownAgent(log, agent);
    const selected = {
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
      ...(task !== undefined && { task_id: (await findTask(log, task)).task_id }),
    };
    if (days !== undefined && !json) {
      io.stdout.write(await costByDay(runsOf(log, selected), styleOf(io.stdout)));
      return;
    }
    const grouped =
      days === undefined ? { ...(by && { by }) } : { by: ["day", "agent"] as const, time_zone: ownTimeZone() };
    const usage = await readUsage(log, { ...grouped, ...selected });
    if (json) printJson(io.stdout, usage, 2);
    else io.stdout.write(usage.data.length === 0 ? "No runs.\n" : table(usageRows(usage), styleOf(io.stdout)));
  });
}

/** Midnight of the reader's clock, so many days ago that today is the last of them. */
function startOfDay(days: number): number {
  const date = new Date();
  date.setHours(0, 0, 0, 0);
  date.setDate(date.getDate() - days + 1);
  return date.getTime();
}

const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

function runText({ turns, run, task, session }: RunCostRecord, style: Style): string {
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
  return table([...perTurn, ...totals], style);
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
  ...{ day: "day", agent: "agent", model: "model", source: "source", task: "task_id", session: "session_id" },
} as const satisfies Record<UsageGroup, keyof UsageRow>;
