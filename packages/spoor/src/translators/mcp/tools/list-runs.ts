import { Type } from "@sinclair/typebox";
import { runStates, runStatuses } from "@spoor/protocol/api/values";
import { describeRuns } from "../../../runtime/list-runs.ts";
import { cursorOf, placeOf } from "../answers/cursor.ts";
import { fillPage } from "../answers/page.ts";
import {
  answerOf,
  argumentsOf,
  cursorArgument,
  limitArgument,
  nextCursor,
  oneOf,
  readingTool,
  recordOf,
} from "./tool.ts";

const optional = Type.Optional;
const text = (description: string) => optional(Type.String({ minLength: 1, maxLength: 1_000, description }));

/** Lists and searches runs. */
export const listRuns = readingTool({
  name: "list_runs",
  title: "List or search runs",
  description:
    "List the recorded runs of coding agents (Claude Code, Codex, Gemini and others), newest first, or search them: by words of their prompts and changed files, by agent, model, folder, status or state. Start here to find the id of a run. A record says what was asked, how the run ended, what it does now, how many files it changed and what it cost.",
  input: argumentsOf({
    query: text("Words that must all occur in the run: in its prompts, its changed paths, its title or its id."),
    agent: text("Only runs of this agent, such as `claude`; `*` stands for any text."),
    model: text("Only runs with this model; `*` stands for any text."),
    status: optional(oneOf(runStatuses, "Only runs with this status.")),
    state: optional(oneOf(runStates, "Only runs in this state; `blocked` waits for a person.")),
    path: text("An absolute folder: runs in it or below it. Other text: a part of the folder or of a changed file."),
    task_id: text("Only runs of this task."),
    cursor: cursorArgument,
    limit: limitArgument(20),
  }),
  output: answerOf({
    runs: Type.Array(
      recordOf(
        {
          run_id: Type.String(),
          task_id: Type.String(),
          agent: Type.String(),
          status: Type.String(),
          state: optional(Type.String()),
          title: optional(Type.String({ description: "The first line of the prompt." })),
          result: optional(Type.String({ description: "How the run ended, in one line." })),
          now: optional(Type.String({ description: "What the run does now." })),
          created_at: Type.String(),
          cost_micros_usd: optional(Type.Integer({ description: "In millionths of a dollar." })),
          last_sequence: Type.Integer({ description: "The sequence of its last event." }),
        },
        "A run.",
      ),
    ),
    next_cursor: nextCursor,
  }),
  async call(context, input) {
    const { query, cursor: _, limit = 20, ...filters } = input;
    const place = placeOf("list_runs", input);
    const log = await context.log();
    const found = await log.runs({
      ...filters,
      ...(query !== undefined && { q: query }),
      ...(typeof place?.before === "string" && { before: place.before }),
      hide_renormalized: true,
      limit,
    });
    const { items: runs, count } = fillPage(describeRuns(found.runs).map(briefRun));
    const last = found.runs[count - 1];
    const isMore = last !== undefined && (found.more || count < found.runs.length);
    const next_cursor = isMore ? cursorOf("list_runs", input, { before: last.run_id }) : null;
    const words = `${count} ${count === 1 ? "run" : "runs"}, newest first${isMore ? "; more with cursor" : ""}.`;
    return { words, data: { runs, next_cursor } };
  },
});

/** The fields of a record that tell something about the run, without those that only programs need. */
export function briefRun(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !internal.has(name)));
}

const internal: ReadonlySet<string> = new Set([
  ...["head", "chain_start", "last_position", "worker_id", "launcher_id", "executor", "attempt", "has_tape", "bytes"],
  ...["prior_sequence", "prior_step_id", "prior_cost_micros_usd", "updated_at"],
]);
