import { type FilePatch, PatchProblem } from "./file-patch.ts";
import { readBlocks } from "./read-blocks.ts";
import { readUnified } from "./read-unified.ts";

const MAX_FILES = 100;

/** Reads a patch in either form. Throws if it is neither, or is not whole. */
export function readPatch(text: string): FilePatch[] {
  const isBlocks = /^\*\*\* Begin Patch[ \t]*\r?$/m.test(text);
  const files = isBlocks ? readBlocks(text) : readUnified(text);
  if (files.length === 0) {
    throw new PatchProblem(
      "The patch changes nothing. It must be a unified diff (`--- a/file`, `+++ b/file`, `@@ -1,3 +1,4 @@`), or begin with `*** Begin Patch`.",
    );
  }
  if (files.length > MAX_FILES)
    throw new PatchProblem(`The patch has ${files.length} files. It may have ${MAX_FILES}.`);
  const seen = new Set<string>();
  for (const name of files.flatMap(namesOf)) {
    if (seen.has(name)) throw new PatchProblem(`The patch names ${name} twice. Put all changes of a file together.`);
    seen.add(name);
  }
  return files;
}

/** All files that a part of a patch reads or writes. */
export const namesOf = ({ path, moveTo }: FilePatch): string[] => (moveTo === undefined ? [path] : [path, moveTo]);
