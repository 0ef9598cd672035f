import { createRunFold, createSpanFold } from "@spoor/protocol";
import type { StepRecord } from "@spoor/protocol/api";
import { snakeCase } from "../../inventory/snake-case.ts";
import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory } from "../../log/open.ts";
import { runJson } from "../../log/record-json.ts";
import type { StoredRun } from "../../log/records.ts";
import {
  ArtifactError,
  type ArtifactRow,
  artifactsOfRun,
  type RunDiff,
  runDiff,
} from "../../runtime/artifacts/index.ts";
import { createLivenessCheck } from "../../runtime/list-runs.ts";
import { readSteps } from "../../runtime/usage/read-steps.ts";
import { findRun } from "../history/find-run.ts";
import { stateShown } from "../history/run-state.ts";
import { showSummary } from "../history/run-summary.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { Display } from "../output/display.ts";
import { dollars } from "../output/format.ts";
import { printJson } from "../output/json.ts";
import { createScreen } from "../output/screen.ts";
import { styleOf } from "../output/style.ts";
import { table } from "../output/table.ts";

export interface ShowOptions extends DataOption {
  json?: true;
  steps?: true;
  output?: number;
}

/** Shows a summary of a run: what was asked, what it did, changed and cost, where its time went, and what it said last. */
export function showRun(typed: string | undefined, options: ShowOptions, io: Io): Promise<void> {
  return withLog(options, async (log) => {
    const run = await findRun(log, typed);
    if (options.output !== undefined) {
      const { showOutput } = await import("../history/call-output.ts");
      return showOutput(log, run, options.output, io);
    }
    if (options.steps) {
      const steps = await readSteps(log, run.run_id);
      if (options.json) for (const step of steps) printJson(io.stdout, step);
      else io.stdout.write(steps.length === 0 ? "No steps.\n" : table(stepRows(steps), styleOf(io.stdout)));
      return;
    }
    const [fold, spans] = [createRunFold(), createSpanFold()];
    for await (const envelope of readEnvelopes(log, { run_id: run.run_id })) {
      fold.fold(envelope);
      spans.fold(envelope);
    }
    const view = fold.snapshot();
    if (options.json) {
      printJson(io.stdout, { run: runJson(run), view: snakeCase(view, { verbatim: asRecorded }) }, 2);
      return;
    }
    const patches = (await artifactsOfRun(log, run.run_id)).filter(({ kind }) => kind === "patch");
    const state = stateShown(run, createLivenessCheck()(run));
    const screen = createScreen(new Display(io));
    const sums = await sumsOf(log, options.data ?? dataDirectory(), run, patches);
    showSummary(screen, { run, view, state, spans: spans.snapshot(), patches, sums });
  });
}

/** What the changes of each file come to that was changed several times. Without the stored bytes, nothing is known. */
async function sumsOf(
  log: Log,
  directory: string,
  run: StoredRun,
  patches: readonly ArtifactRow[],
): Promise<RunDiff["files"]> {
  const files = [...Map.groupBy(patches, ({ path }) => path ?? "")].flatMap(([path, own]) =>
    own.length > 1 ? [path] : [],
  );
  if (files.length === 0) return [];
  try {
    return (await runDiff(log, directory, run, { files })).files;
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error;
    return [];
  }
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
