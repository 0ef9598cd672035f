import { Type } from "@sinclair/typebox";
import { defineTool, inputOf, ToolProblem } from "./kit/define-tool.ts";
import { MAX_FILE_BYTES, readWorkspaceFile, revisionOf, textOf } from "./kit/files.ts";
import { fileActions, fileInside } from "./kit/place.ts";

const MAX_LINES = 2_000;
const MAX_LINE = 2_000;
const MAX_OUTPUT = 48 * 1024;
/** What was read is kept as an artifact beyond this size. */
const SNIPPET_BYTES = 16 * 1024;

/** Reads a text file. */
export const readFile = defineTool({
  name: "read_file",
  kind: "file_read",
  effect: "read",
  description: `Reads a text file of the workspace. The first line of the result names the file and its revision; each line after it is a line number, a tab and the line. Reads up to ${MAX_LINES} lines; use offset and limit for other parts of the file.`,
  about: {
    does: "reads a text file, or some lines of it",
    limits: `files up to ${MAX_FILE_BYTES / 1024 ** 2} MiB; ${MAX_LINES} lines, ${MAX_LINE} characters of a line, ${MAX_OUTPUT / 1024} KiB a call`,
    rules: "`read` of the path",
  },
  input: inputOf({
    path: Type.String({ minLength: 1, description: "The file, relative to the workspace." }),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: "The first line to read, from 1. Default: 1." })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LINES, description: `The number of lines. Default: ${MAX_LINES}.` }),
    ),
  }),
  actions: ({ path }, place) => fileActions(place, "read", "read_file", [path]),
  async run({ path, offset = 1, limit = MAX_LINES }, context) {
    const file = fileInside(context, path);
    const found = await readWorkspaceFile(context.root, file, context.directory);
    if (!found) throw new ToolProblem(`There is no file ${file}. Look for it with glob or list_dir.`);
    const lines = linesOf(textOf(file, found));
    if (offset > Math.max(1, lines.length)) {
      throw new ToolProblem(`${file} has only ${lines.length} lines, so there is no line ${offset}.`);
    }
    const { shown, isCut } = show(lines, offset, limit);
    const last = offset + shown.length - 1;
    const whole = offset === 1 && last === lines.length;
    const part = whole ? `${lines.length} lines` : `lines ${offset}-${last} of ${lines.length}`;
    const head = `${file}: ${part}, ${found.bytes.length} bytes, revision ${revisionOf(found.bytes)}`;
    const more = last < lines.length ? [`[Read on with offset ${last + 1}.]`] : [];
    const output = [head, ...shown, ...more].join("\n");
    const snippet =
      output.length > SNIPPET_BYTES
        ? await context.keep({ kind: "file_snapshot", bytes: Buffer.from(output), mime: "text/plain", name: file })
        : undefined;
    return {
      output,
      summary: `read ${file}: ${part}`,
      files: [{ op: "read", path: file }],
      fields: {
        "tool.file_read.completed": {
          size_bytes: found.bytes.length,
          lines: shown.length,
          truncated: isCut || !whole,
          ...(snippet !== undefined && { snippet_artifact_id: snippet }),
        },
        // The same artifact is the whole result, which is not kept a second time.
        ...(snippet !== undefined && { "tool.completed": { result_artifact_id: snippet } }),
      },
    };
  },
});

/** The lines of a text, without their ends. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function show(lines: readonly string[], offset: number, limit: number): { shown: string[]; isCut: boolean } {
  const shown: string[] = [];
  let size = 0;
  let isCut = false;
  for (const [index, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const isLong = line.length > MAX_LINE;
    const text = isLong
      ? `${line.slice(0, MAX_LINE).toWellFormed()} [cut: the line has ${line.length} characters]`
      : line;
    size += Buffer.byteLength(text) + 8;
    if (size > MAX_OUTPUT && shown.length > 0) break;
    isCut ||= isLong;
    shown.push(`${offset + index}\t${text}`);
  }
  return { shown, isCut };
}
