import { Type } from "@sinclair/typebox";
import { changeFiles, changeResult, questionOf } from "./kit/change-files.ts";
import { defineTool, inputOf } from "./kit/define-tool.ts";
import { planReplacements } from "./kit/edit-plan.ts";
import { MAX_FILE_BYTES } from "./kit/files.ts";
import { editActions } from "./kit/place.ts";

/** The fields of one replacement. */
export const replacementFields = {
  path: Type.String({ minLength: 1, description: "The file, relative to the workspace." }),
  old_string: Type.String({
    minLength: 1,
    description:
      "The text to replace, exactly as in the file, without the line numbers of read_file. It must occur exactly once, unless replace_all is set: add lines around it until it does.",
  }),
  new_string: Type.String({ description: "The text that takes its place." }),
  replace_all: Type.Optional(Type.Boolean({ description: "Replaces every occurrence. Default: false." })),
  revision: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The revision that read_file told. The edit is refused if the file has changed since.",
    }),
  ),
};

/** Replaces text in a file. */
export const fileEdit = defineTool({
  name: "file_edit",
  kind: "edit",
  effect: "effect",
  description:
    "Replaces one text by another in a file of the workspace. Everything else in the file stays as it is, also its line ends and permissions. Read the file first.",
  about: {
    does: "replaces a text in a file, which must occur exactly once unless all are replaced",
    limits: `text files up to ${MAX_FILE_BYTES / 1024 ** 2} MiB`,
    rules: "`read` and `write` of the path",
  },
  input: inputOf(replacementFields),
  actions: ({ path }, place) => editActions(place, "file_edit", [path]),
  describe: async (input, place) => questionOf("file_edit", await planReplacements(place, [input])),
  async run(input, context) {
    const edits = await planReplacements(context, [input]);
    await changeFiles(context, edits);
    return changeResult(edits);
  },
});
