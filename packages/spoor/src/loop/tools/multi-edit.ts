import { Type } from "@sinclair/typebox";
import { replacementFields } from "./file-edit.ts";
import { changeFiles, changeResult, questionOf } from "./kit/change-files.ts";
import { defineTool, inputOf, ToolProblem } from "./kit/define-tool.ts";
import { type EditPlace, planReplacements } from "./kit/edit-plan.ts";
import { MAX_FILE_BYTES } from "./kit/files.ts";
import { editActions } from "./kit/place.ts";

const MAX_EDITS = 100;

/** Replaces texts in several files at once. */
export const multiEdit = defineTool({
  name: "multi_edit",
  kind: "multi_edit",
  effect: "effect",
  description:
    "Replaces several texts in one or more files of the workspace. The edits are made in their order, each on the result of those before it. If one of them is impossible, nothing is changed.",
  about: {
    does: "replaces texts in several files: all of them, or none",
    limits: `${MAX_EDITS} edits a call; text files up to ${MAX_FILE_BYTES / 1024 ** 2} MiB`,
    rules: "`read` and `write` of every path",
  },
  input: inputOf({
    edits: Type.Array(inputOf(replacementFields), {
      minItems: 1,
      maxItems: MAX_EDITS,
      description: "The replacements, in their order.",
    }),
  }),
  actions: ({ edits }, place) =>
    editActions(
      place,
      "multi_edit",
      edits.map(({ path }) => path),
    ),
  describe: async ({ edits }, place) => questionOf("multi_edit", await plan(edits, place)),
  async run({ edits }, context) {
    const planned = await plan(edits, context);
    await changeFiles(context, planned);
    return changeResult(planned);
  },
});

/** Says which edit is impossible. */
async function plan(edits: Parameters<typeof planReplacements>[1], place: EditPlace) {
  try {
    return await planReplacements(place, edits);
  } catch (error) {
    if (error instanceof ToolProblem) throw new ToolProblem(`${error.message} None of the edits was made.`);
    throw error;
  }
}
