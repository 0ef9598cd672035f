import { Type } from "@sinclair/typebox";
import type { UsageRow } from "@spoor/protocol/api";
import { usageGroups } from "@spoor/protocol/api/values";
import { readRunCost } from "../../../runtime/usage/read-run-cost.ts";
import { readUsage } from "../../../runtime/usage/read-usage.ts";
import { cursorOf, placeOf } from "../answers/cursor.ts";
import { DATA_BYTES, ITEM_BYTES } from "../answers/limits.ts";
import { fillPage } from "../answers/page.ts";
import { McpRefusal } from "../answers/refusal.ts";
import { shorten } from "../answers/shorten.ts";
import { findRun } from "./find.ts";
import { answerOf, argumentsOf, cursorArgument, nextCursor, readingTool, recordOf, runArgument } from "./tool.ts";

const micros = Type.Integer({ description: "In millionths of a dollar." });
const Cost = recordOf({ cost_micros_usd: micros }, "A cost, and where it comes from.");

/** What one run has cost. */
export const runCost = readingTool({
  name: "run_cost",
  title: "Read what a run cost",
  description:
    "Read what one run has cost: by turn, in all, and together with the other runs of its task and conversation. `cost_source` says whether it was billed, reported by the agent or estimated. An unknown cost is absent, not zero.",
  input: argumentsOf({ run: runArgument, cursor: cursorArgument }),
  output: answerOf({
    run_id: Type.String(),
    run: Type.Optional(Cost),
    task: Cost,
    session: Type.Optional(Cost),
    turns: Type.Array(recordOf({ turn_index: Type.Integer(), cost_micros_usd: micros }, "A turn.")),
    next_cursor: nextCursor,
  }),
  async call(context, input) {
    const place = placeOf("run_cost", input);
    const log = await context.log();
    const found = await findRun(log, String(place?.run_id ?? input.run));
    const { run_id, turns, ...totals } = await readRunCost(log, found);
    const start = Number(place?.turns ?? 0);
    const { items, count } = fillPage(turns.slice(start), DATA_BYTES - ITEM_BYTES);
    const isMore = start + count < turns.length;
    const next_cursor = isMore ? cursorOf("run_cost", input, { run_id, turns: start + count }) : null;
    const words = `The cost of ${run_id}${isMore ? "; more turns with cursor" : ""}.`;
    const { value } = shorten(totals, ITEM_BYTES);
    return { words, data: { run_id, ...value, turns: items, next_cursor } };
  },
});

const Usage = { runs: Type.Integer(), turns: Type.Integer(), cost_micros_usd: micros };
const instant = (description: string) => Type.Optional(Type.String({ minLength: 4, maxLength: 40, description }));

/** What runs have cost together. */
export const usage = readingTool({
  name: "usage",
  title: "Add up what runs cost",
  description:
    "Add up tokens and cost of all recorded runs, grouped by day, agent, model, source of the cost, task or session. Use it for questions such as what agents cost this week, or which model is the most expensive.",
  input: argumentsOf({
    by: Type.Optional(
      Type.Array(Type.Union(usageGroups.map((each) => Type.Literal(each))), {
        minItems: 1,
        maxItems: usageGroups.length,
        uniqueItems: true,
        description: "How to group; by day if absent.",
      }),
    ),
    from: instant("Only runs created at or after this time: 2026-11-16 or 2026-11-16T09:00:00Z."),
    to: instant("Only runs created before this time."),
    agent: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Only runs of this agent." })),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Only runs with this model." })),
    task_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Only runs of this task." })),
    cursor: cursorArgument,
  }),
  output: answerOf({
    groups: Type.Array(recordOf(Usage, "A group of runs.")),
    total: recordOf(Usage, "All groups together."),
    next_cursor: nextCursor,
  }),
  async call(context, input) {
    const { by = ["day"], from, to, cursor: _, ...filters } = input;
    const place = placeOf("usage", input);
    // Later pages count no runs that began after the first page.
    const until = typeof place?.to === "number" ? place.to : (time("to", to) ?? Date.now());
    const begin = time("from", from);
    const found = await readUsage(await context.log(), {
      ...filters,
      by,
      to: until,
      ...(begin !== undefined && { from: begin }),
    });
    // The order of keys stays, whatever runs cost meanwhile, so that no group is on two pages.
    const rows = found.data.map((row) => ({ key: keyOf(row), row })).sort((a, b) => (a.key < b.key ? -1 : 1));
    const rest = rows.filter(({ key }) => typeof place?.after !== "string" || key > place.after);
    const { items: groups, count } = fillPage(
      rest.map(({ row }) => row),
      DATA_BYTES - ITEM_BYTES,
    );
    const last = rest[count - 1];
    const isMore = last !== undefined && count < rest.length;
    const next_cursor = isMore ? cursorOf("usage", input, { to: until, after: last.key }) : null;
    const words = `${found.total.runs} runs in ${rows.length} groups${isMore ? "; more groups with cursor" : ""}.`;
    return { words, data: { groups, total: found.total, next_cursor } };
  },
});

const keyOf = ({ day, agent, model, source, task_id, session_id }: UsageRow): string =>
  JSON.stringify([day, agent, model, source, task_id, session_id].map((each) => each ?? ""));

function time(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const at = Date.parse(given);
  if (!Number.isNaN(at)) return at;
  throw new McpRefusal("invalid", `\`${name}\` is no time: write it like 2026-11-16 or 2026-11-16T09:00:00Z.`);
}
