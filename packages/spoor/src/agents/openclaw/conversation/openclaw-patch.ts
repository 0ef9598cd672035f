import { diffHeader } from "../../kit/diff.ts";
import { createdFile, movedFile } from "../../kit/file-facts.ts";
import type { FileFact } from "../../signal.ts";

/**
 * What a patch in the format of `apply_patch` does to files. The format has no line numbers, so all hunks start at line
 * 1. A file that is also moved is deleted at its old path.
 */
export function patchedFiles(patch: string): FileFact[] {
  return patch.split(/^\*\*\* (?=(?:Add|Update|Delete) File: )/m).flatMap((part): FileFact[] => {
    const [, verb, name] = /^(Add|Update|Delete) File: (.+)/.exec(part) ?? [];
    const path = name?.trim();
    if (!path) return [];
    if (verb === "Delete") return [{ op: "delete", path }];
    const lines = part.split("\n").slice(1);
    if (verb === "Add") {
      const content = lines.filter((line) => line.startsWith("+")).map((line) => `${line.slice(1)}\n`);
      return [createdFile(path, content.join(""))];
    }
    const target = /^\*\*\* Move to: (.+)/.exec(lines[0] ?? "")?.[1]?.trim();
    const diff = `${diffHeader(target ?? path, path)}${hunksOf(lines).join("")}`;
    return target ? movedFile(path, target, diff) : [{ op: "patch", path, diff }];
  });
}

function hunksOf(lines: readonly string[]): string[] {
  const hunks: string[][] = [];
  for (const line of lines) {
    if (line.startsWith("@@")) hunks.push([]);
    else if (/^[ +-]/.test(line)) (hunks.at(-1) ?? (hunks[hunks.push([]) - 1] as string[])).push(line);
  }
  return hunks.map((hunk) => {
    const count = (mark: string) => hunk.filter((line) => !line.startsWith(mark)).length;
    return `@@ -1,${count("+")} +1,${count("-")} @@\n${hunk.map((line) => `${line}\n`).join("")}`;
  });
}
