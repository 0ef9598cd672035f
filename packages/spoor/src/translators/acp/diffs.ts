import type { ToolCallContent } from "@agentclientprotocol/sdk";

/** The text of a file before and after a change. `oldText` is absent for a new file. */
export interface FileTexts {
  oldText?: string;
  newText: string;
}

/** Texts of at most this many characters are sent in full; of longer files only the changed places are. */
export const MAX_FILE_LENGTH: number = 200_000;

/** A change of a file with both of its texts. */
export const wholeDiff = (path: string, { oldText, newText }: FileTexts): ToolCallContent => ({
  type: "diff",
  path,
  ...(oldText !== undefined && { oldText }),
  newText,
});

/**
 * The changed places of a unified diff as pairs of texts. Editors know no patches, so each place is a small text before and
 * after it, as agents send it that know no more.
 */
export function diffsOfPatch(path: string, patch: string): ToolCallContent[] {
  const places = patch.split(/^@@ .*$\n?/m).slice(1, 1 + MAX_PLACES);
  const isNew = /^(--- \/dev\/null|@@ -0,0 .*)$/m.test(patch);
  return places.map((place) => {
    const lines = place.split("\n").filter((line) => /^[ +-]/.test(line));
    const side = (sign: string) => lines.filter((line) => line[0] === " " || line[0] === sign);
    const text = (sign: string) =>
      side(sign)
        .map((line) => `${line.slice(1)}\n`)
        .join("");
    return wholeDiff(path, { ...(!isNew && { oldText: text("-") }), newText: text("+") });
  });
}

/** The changes of each file of a unified diff. `fileOf` finds the path of a file by the name that it has in the diff. */
export function diffsOfFiles(patch: string, fileOf: (name: string) => string): Map<string, ToolCallContent[]> {
  const files = new Map<string, ToolCallContent[]>();
  for (const part of patch.split(/^(?=--- .*\n\+\+\+ )/m)) {
    const [, before = "", after = ""] = /^--- (?:a\/)?(.*?)\t?\n\+\+\+ (?:b\/)?(.*?)\t?$/m.exec(part) ?? [];
    const name = after === "/dev/null" ? before : after;
    if (name === "") continue;
    const file = fileOf(name);
    files.set(file, [...(files.get(file) ?? []), ...diffsOfPatch(file, part)]);
  }
  return files;
}

const MAX_PLACES = 50;
