import { Type } from "@sinclair/typebox";
import { changeFiles, changeResult, checkText, type FileEdit, questionOf } from "./kit/change-files.ts";
import { defineTool, inputOf, ToolProblem } from "./kit/define-tool.ts";
import { checkRevision, type EditPlace } from "./kit/edit-plan.ts";
import { MAX_FILE_BYTES, readWorkspaceFile, revisionOf } from "./kit/files.ts";
import { BOM, hasBom, isCrlf, withLineEnds } from "./kit/line-ends.ts";
import { fileActions, fileInside } from "./kit/place.ts";

interface Write {
  path: string;
  content: string;
  revision?: string;
}

/** Writes a whole file. */
export const fileWrite = defineTool({
  name: "file_write",
  kind: "file_write",
  effect: "effect",
  description:
    "Writes a whole file of the workspace. It makes the file and its folders if they are missing, and replaces the file otherwise. Use file_edit to change a part of a file.",
  about: {
    does: "writes a whole file; keeps permissions, a byte order mark and CRLF line ends of the old one",
    limits: `${MAX_FILE_BYTES / 1024 ** 2} MiB`,
    rules: "`write` of the path",
  },
  input: inputOf({
    path: Type.String({ minLength: 1, description: "The file, relative to the workspace." }),
    content: Type.String({ description: "The whole text of the file." }),
    revision: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The revision that read_file told. The write is refused if the file has changed since.",
      }),
    ),
  }),
  actions: ({ path }, place) => fileActions(place, "write", "file_write", [path]),
  describe: async (input, place) => questionOf("file_write", [(await plan(input, place)).edit]),
  async run(input, context) {
    const { edit, notes } = await plan(input, context);
    const { path, before, after } = edit;
    if (after && before?.bytes.equals(after.bytes)) {
      const revision = revisionOf(before.bytes);
      return {
        output: `${path} has exactly this content already, revision ${revision}.`,
        summary: `${path}: unchanged`,
      };
    }
    await changeFiles(context, [edit]);
    return changeResult([edit], notes);
  },
});

async function plan({ path, content, revision }: Write, { root, directory }: EditPlace) {
  const file = fileInside({ root }, path);
  checkText("content", content);
  const before = await readWorkspaceFile(root, file, directory);
  if (before) checkRevision(file, before, revision);
  else if (revision !== undefined)
    throw new ToolProblem(`There is no file ${file} any more. Write it without a revision.`);
  const keepsEnds = before !== undefined && isCrlf(before.bytes) && !content.includes("\r");
  const text = withLineEnds(content, keepsEnds);
  const keepsBom = before !== undefined && hasBom(before.bytes) && !hasBom(text);
  const edit: FileEdit = {
    path: file,
    before,
    after: { bytes: keepsBom ? Buffer.concat([BOM, text]) : text, mode: before?.mode ?? 0o100644 },
  };
  const notes = [
    ...(keepsEnds ? ["The lines end with CRLF, as before."] : []),
    ...(keepsBom ? ["The byte order mark was kept."] : []),
  ];
  return { edit, notes };
}
