import { Type } from "@sinclair/typebox";
import type { Log } from "../../../log/log.ts";
import { type RunDiff, runDiff } from "../../../runtime/artifacts/index.ts";
import { cursorOf, placeOf } from "../answers/cursor.ts";
import { bytesOf, DATA_BYTES, ITEM_BYTES } from "../answers/limits.ts";
import { fillPage, textPart } from "../answers/page.ts";
import { findRun } from "./find.ts";
import { answerOf, argumentsOf, cursorArgument, nextCursor, readingTool, recordOf, runArgument } from "./tool.ts";

/** Everything a run changed, as one diff. */
export const runDiffTool = readingTool({
  name: "run_diff",
  title: "Read what a run changed",
  description:
    "Read everything a run changed in files as one unified diff: for each file the difference between before its first and after its last change. Changes that the run itself took back are not in it. The first page lists the files. For single changes with their status see list_artifacts.",
  input: argumentsOf({
    run: runArgument,
    files: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 4_096 }), {
        minItems: 1,
        maxItems: 100,
        description: "Only these files, named as in the list of files.",
      }),
    ),
    through: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Only changes up to this event: a sequence, or the id of a checkpoint.",
      }),
    ),
    cursor: cursorArgument,
  }),
  output: answerOf({
    run_id: Type.String(),
    files: Type.Array(
      recordOf({ path: Type.String(), additions: Type.Integer(), deletions: Type.Integer() }, "A changed file."),
    ),
    files_total: Type.Integer(),
    redacted: Type.Array(Type.String(), { description: "Files whose secrets are redacted in the diff." }),
    missing: Type.Array(Type.String(), { description: "Files whose bytes were too large to keep." }),
    diff: Type.String({ description: "This part of the diff." }),
    offset: Type.Integer({ description: "Where this part begins, in bytes." }),
    total_bytes: Type.Integer(),
    next_cursor: nextCursor,
  }),
  async call(context, input) {
    const place = placeOf("run_diff", input);
    const log = await context.log();
    const run = await findRun(log, String(place?.run_id ?? input.run));
    const { run_id } = run;
    // All pages show the same diff, even if the run goes on meanwhile.
    const through = String(place?.through ?? input.through ?? run.last_sequence);
    const found =
      run.last_sequence < 0
        ? { diff: Buffer.alloc(0), files: [], redacted: [], missing: [] }
        : await diffOf(context.directory, log, { run_id, through, ...(input.files && { files: input.files }) });
    const offset = Math.min(Number(place?.offset ?? 0), found.diff.length);
    // Only the first page lists the files.
    const few = (names: readonly string[]) =>
      fillPage(
        names.map((name) => ({ name })),
        ITEM_BYTES,
      ).items.map(({ name }) => name);
    const files = offset === 0 ? fillPage(found.files, 2 * ITEM_BYTES).items : [];
    const [redacted, missing] = offset === 0 ? [few(found.redacted), few(found.missing)] : [[], []];
    const { text: diff, next } = textPart(found.diff, offset, DATA_BYTES - bytesOf({ files, redacted, missing }));
    const { length: total_bytes } = found.diff;
    const next_cursor = next === undefined ? null : cursorOf("run_diff", input, { run_id, through, offset: next });
    const total = found.files.length;
    return {
      words: `${total} changed ${total === 1 ? "file" : "files"} in ${run_id}; bytes ${offset} to ${next ?? total_bytes} of ${total_bytes}${next === undefined ? "" : "; more with cursor"}.`,
      data: { run_id, files, files_total: total, redacted, missing, diff, offset, total_bytes, next_cursor },
    };
  },
});

/** The last diff of each log: the next call probably asks for its next page, and making it may take a second. */
const lastDiffs = new WeakMap<Log, { key: string; found: Promise<RunDiff> }>();

function diffOf(
  directory: string,
  log: Log,
  wanted: { run_id: string; through: string; files?: readonly string[] },
): Promise<RunDiff> {
  const key = JSON.stringify(wanted);
  const last = lastDiffs.get(log);
  if (last?.key === key) return last.found;
  const found = runDiff(log, directory, wanted, wanted);
  lastDiffs.set(log, { key, found });
  // One that failed is tried again.
  found.catch(() => lastDiffs.delete(log));
  return found;
}
