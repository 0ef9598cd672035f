import { createRunFold, type RunView } from "@spoor/protocol";
import { snakeCase } from "../../../inventory/snake-case.ts";
import { readEnvelopes } from "../../../log/envelopes.ts";
import { matchFor } from "../../../log/feed/granularity.ts";
import type { Log } from "../../../log/log.ts";
import { isOver, type StoredRun } from "../../../log/records.ts";
import { describeRuns } from "../../../runtime/list-runs.ts";
import { DATA_BYTES, ITEM_BYTES } from "../answers/limits.ts";
import type { Answer } from "../answers/result.ts";
import { shorten } from "../answers/shorten.ts";
import { briefRun } from "./list-runs.ts";

/** What a run came to, from its events without the streamed pieces. */
export async function summaryOf(log: Log, run: StoredRun): Promise<Answer> {
  const fold = createRunFold();
  const match = matchFor("block");
  for await (const envelope of readEnvelopes(log, { run_id: run.run_id, ...(match && { match }) })) fold.fold(envelope);
  const [record = {}] = describeRuns([run]).map(briefRun);
  const shortRun = shorten(record, ITEM_BYTES).value;
  const { value: summary, isCut } = shorten(parts(fold.snapshot()), DATA_BYTES - ITEM_BYTES);
  return {
    words: `The summary of ${run.run_id}, which ${isOver(run) ? `is over: ${run.status}` : `goes on: ${run.status}`}.`,
    data: {
      run: shortRun,
      summary: { ...summary, ...(isCut && { truncated: true }) },
      next_cursor: null,
      last_sequence: run.last_sequence,
      is_over: isOver(run),
    },
  };
}

function parts(view: RunView): object {
  const { prompts, messages, tools, shells, files, approvals, questions, errors, subagents, gaps, todos, cost, end } =
    view;
  const pending = ({ status }: { status: string }) => status === "pending";
  return snakeCase(
    {
      prompts: first(
        prompts.map(({ text, turn }) => ({ text, turn })),
        5,
      ),
      answer: (messages.findLast(({ final }) => final) ?? messages.at(-1))?.text,
      messages: messages.length,
      todos,
      calls: counted(tools.map(({ name, state }) => `${name} ${state}`)),
      failed_calls: last(
        tools
          .filter(({ error }) => error !== undefined)
          .map(({ id, name, error }) => ({ tool_call_id: id, name, error })),
        10,
      ),
      commands: last(
        shells.map(({ command, exitCode, signal, running }) => ({ command, exitCode, signal, running })),
        20,
      ),
      files: last(
        files.map(({ path, operation, status, additions, deletions }) => ({
          path,
          operation,
          status,
          additions,
          deletions,
        })),
        50,
      ),
      open_approvals: first(
        approvals
          .filter(pending)
          .map(({ id, kind, summary, detail, riskLevel }) => ({ approval_id: id, kind, summary, detail, riskLevel })),
        10,
      ),
      open_questions: first(
        questions.filter(pending).map(({ id, question }) => ({ interaction_id: id, question })),
        10,
      ),
      errors: last(
        errors.map(({ message, code }) => ({ message, code })),
        10,
      ),
      subagents: last(
        subagents.map(({ name, status, childRunId, summary, error }) => ({ name, status, childRunId, summary, error })),
        20,
      ),
      gaps: last(
        gaps.map(({ type, firstSequence, lastSequence }) => ({ type, firstSequence, lastSequence })),
        10,
      ),
      cost,
      end,
    },
    { verbatim: ["calls", "todos"] },
  ) as object;
}

const first = <Item>(items: readonly Item[], most: number): { total: number; shown: readonly Item[] } | undefined =>
  items.length === 0 ? undefined : { total: items.length, shown: items.slice(0, most) };

const last = <Item>(items: readonly Item[], most: number): { total: number; shown: readonly Item[] } | undefined =>
  items.length === 0 ? undefined : { total: items.length, shown: items.slice(-most) };

/** How often each occurs, the most frequent first. Names come from agents, so they are values and never keys. */
function counted(names: readonly string[]): object | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([call, count]) => ({ call, count }));
  return sorted.length === 0 ? undefined : { total: names.length, shown: sorted.slice(0, 30) };
}
