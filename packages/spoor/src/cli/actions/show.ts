import { createRunFold, type GapView, type RunView } from "@spoor/protocol";
import type { StepRecord } from "@spoor/protocol/api";
import { snakeCase } from "../../inventory/snake-case.ts";
import { readEnvelopes } from "../../log/envelopes.ts";
import { runJson } from "../../log/record-json.ts";
import { readSteps } from "../../runtime/usage/read-steps.ts";
import { findRun } from "../history/find-run.ts";
import { dollars, statusOf } from "../history/format.ts";
import { GIT_SETTINGS, gitSettingsLines } from "../history/git-settings.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { table, widthOf } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface ShowOptions extends DataOption {
  json?: true;
  steps?: true;
}

/** Shows a summary of a run: agent, times, cost, actions, and the last message. */
export function showRun(typed: string | undefined, options: ShowOptions, io: Io): Promise<void> {
  return withLog(options, async (log) => {
    const run = await findRun(log, typed);
    if (options.steps) {
      const steps = await readSteps(log, run.run_id);
      if (options.json) for (const step of steps) printJson(io.stdout, step);
      else io.stdout.write(steps.length === 0 ? "No steps.\n" : table(stepRows(steps), widthOf(io.stdout)));
      return;
    }
    const fold = createRunFold();
    for await (const envelope of readEnvelopes(log, { run_id: run.run_id })) fold.fold(envelope);
    const view = fold.snapshot();
    if (options.json) {
      printJson(io.stdout, { run: runJson(run), view: snakeCase(view, { verbatim: asRecorded }) }, 2);
      return;
    }
    const rows = [
      ["run", run.run_id],
      ["task", run.task_id],
      ["agent", [run.agent, view.model ?? run.model].filter(Boolean).join(", ")],
      ["status", statusOf(run)],
      [
        "read again",
        run.renormalized_from_run_id === undefined ? "" : `from the raw lines of ${run.renormalized_from_run_id}`,
      ],
      ["where", view.workspacePath ?? run.workspace_path ?? ""],
      ["started", new Date(run.created_at).toISOString()],
      ["took", run.ended_at === undefined ? "" : `${((run.ended_at - run.created_at) / 1000).toFixed(1)} s`],
      ["turns", String(run.turns ?? view.turns.length)],
      ["cost", dollars(run.cost_micros_usd)],
      ["events", `${run.first_sequence} to ${run.last_sequence}`],
    ].filter(([, value]) => value !== "");
    io.stdout.write(table(rows.map(([name = "", value = ""]) => [name, terminalSafe(value)])));
    io.stdout.write(summaryOf(view));
  });
}

const stepRows = (steps: readonly StepRecord[]): string[][] => [
  ["STEP", "STATUS", "TOOK", "COST", "WHAT", "SUMMARY"],
  ...steps.map(({ step_id, status, duration_ms, cost_micros_usd, name, summary, error }) => [
    ...[step_id, status, duration_ms === undefined ? "" : `${(duration_ms / 1000).toFixed(1)} s`],
    ...[dollars(cost_micros_usd), name, (error ?? summary ?? "").split("\n", 1)[0] ?? ""],
  ]),
];

/** Fields that keep their keys: payloads of events, and inputs and outputs of tools. */
const asRecorded = ["data", "input", "output", "opaque", "todos"];

function summaryOf({ prompts, tools, files, errors, messages, gaps, notes }: RunView): string {
  const sections: [string, string[]][] = [
    ["Asked", prompts.map(({ text }) => text)],
    ["Tools", tools.map(({ name, state, summary }) => [name, state, summary].filter(Boolean).join(" "))],
    ["Files", [...new Set(files.map(({ path }) => path))]],
    ["Git settings", notes.flatMap(({ type, data }) => (type === GIT_SETTINGS ? gitSettingsLines(data) : []))],
    ["Errors", errors.map(({ type, message }) => `${type}: ${message}`)],
    ["Gaps", gaps.map(gapText)],
    ["Said last", messages.slice(-1).map(({ text }) => text)],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `\n${title}\n${indented(lines)}`)
    .join("");
}

const gapText = ({ type, firstSequence, lastSequence, reason, message }: GapView): string =>
  [type, rangeText(firstSequence, lastSequence), reason && `(${reason})`, message].filter(Boolean).join(" ");

/** A gap without a last sequence reaches to the end of the run. */
function rangeText(first: number | undefined, last: number | undefined): string {
  if (first === undefined) return "";
  return last === undefined ? `from event ${first} on` : `events ${first} to ${last}`;
}

const indented = (texts: readonly string[]): string =>
  texts
    .flatMap((text) => text.split("\n"))
    .map((line) => `  ${terminalSafe(line)}\n`)
    .join("");
