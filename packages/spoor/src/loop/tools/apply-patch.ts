import { Type } from "@sinclair/typebox";
import { refusalOfMode } from "../../runtime/artifacts/patch-path.ts";
import { changeFiles, changeResult, checkText, type FileEdit, questionOf } from "./kit/change-files.ts";
import { defineTool, inputOf, ToolProblem } from "./kit/define-tool.ts";
import type { EditPlace } from "./kit/edit-plan.ts";
import { readWorkspaceFile, textOf } from "./kit/files.ts";
import { editActions, fileInside } from "./kit/place.ts";
import { applyChunks } from "./patch/apply-chunks.ts";
import { type FilePatch, PatchProblem } from "./patch/file-patch.ts";
import { namesOf, readPatch } from "./patch/read-patch.ts";

const MAX_PATCH = 1024 * 1024;

/** Applies a patch to several files at once. */
export const applyPatch = defineTool({
  name: "apply_patch",
  kind: "multi_edit",
  effect: "effect",
  description: `Applies a patch to files of the workspace: all of it, or nothing. It is a unified diff as \`git diff\` writes it, or has this form:
*** Begin Patch
*** Update File: src/a.ts
@@ function name() {
 an unchanged line
-a line that goes
+a line that comes
*** Add File: src/new.ts
+its first line
*** Delete File: src/old.ts
*** End Patch
After \`*** Update File:\` a line \`*** Move to: path\` renames the file. Unchanged lines must be exactly as in the file.`,
  about: {
    does: "applies a unified diff or a `*** Begin Patch` patch, without fuzz: all files, or none",
    limits: "patches up to 1 MiB and 100 files; text files up to 10 MiB; no binary patches, links or submodules",
    rules: "`read` and `write` of every path, those of renames too",
  },
  input: inputOf({
    patch: Type.String({ minLength: 1, maxLength: MAX_PATCH, description: "The patch." }),
  }),
  actions({ patch }, place) {
    const names = namesIn(patch);
    // A patch that cannot be read changes nothing.
    return names.length === 0 ? [] : editActions(place, "apply_patch", names);
  },
  describe: async ({ patch }, place) => questionOf("apply_patch", (await plan(patch, place)).edits),
  async run({ patch }, context) {
    const { edits, notes } = await plan(patch, context);
    await changeFiles(context, edits);
    return changeResult(edits, notes);
  },
});

function namesIn(patch: string): string[] {
  try {
    return readPatch(patch).flatMap(namesOf);
  } catch (error) {
    if (error instanceof PatchProblem) return [];
    throw error;
  }
}

async function plan(patch: string, place: EditPlace): Promise<{ edits: FileEdit[]; notes: string[] }> {
  checkText("patch", patch);
  const edits: FileEdit[] = [];
  const notes: string[] = [];
  for (const file of readPatch(patch)) {
    const planned = await planFile(file, place);
    edits.push(...planned.edits);
    notes.push(...planned.notes);
  }
  const paths = edits.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw new ToolProblem(`The patch names ${twice} twice. Put all changes of a file together.`);
  return { edits: edits.filter(isChange), notes };
}

async function planFile(patch: FilePatch, { root, directory }: EditPlace) {
  const { operation, mode } = patch;
  const path = fileInside({ root }, patch.path);
  const refusal = mode === undefined ? undefined : refusalOfMode(mode);
  if (refusal !== undefined) throw new ToolProblem(`${path} is refused: ${refusal}.`);
  const before = await readWorkspaceFile(root, path, directory);
  if (operation === "add") {
    if (before) throw new ToolProblem(`${path} exists already. Use an update to change it.`);
    const { bytes } = applyChunks(patch, Buffer.alloc(0));
    return { edits: [{ path, before, after: { bytes, mode: mode ?? 0o100644 } }], notes: [] };
  }
  if (!before) throw new ToolProblem(`There is no file ${path}.`);
  const isPlainDelete = operation === "delete" && patch.chunks.length === 0;
  if (!isPlainDelete) textOf(path, before);
  const { bytes, notes } = applyChunks(patch, before.bytes);
  if (operation === "delete") {
    if (!isPlainDelete && bytes.length > 0)
      throw new ToolProblem(`${path} has more lines than the patch deletes. Read it again.`);
    return { edits: [{ path, before, after: undefined }], notes };
  }
  const after = { bytes, mode: mode ?? before.mode };
  if (patch.moveTo === undefined) return { edits: [{ path, before, after }], notes };
  const target = fileInside({ root }, patch.moveTo);
  if (await readWorkspaceFile(root, target, directory))
    throw new ToolProblem(`${target} exists already, so ${path} cannot be moved there.`);
  const edits: FileEdit[] = [
    { path: target, before: undefined, after },
    { path, before, after: undefined },
  ];
  return { edits, notes };
}

const isChange = ({ before, after }: FileEdit): boolean =>
  !before || !after || !before.bytes.equals(after.bytes) || before.mode !== after.mode;
