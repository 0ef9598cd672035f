import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generatedFolders } from "./generated-files.ts";

export interface Stale {
  path: string;
  why: "is missing" | "is out of date" | "is no longer generated";
}

/** Compares the files on disk with the generated contents. */
export function staleFiles(root: string, files: ReadonlyMap<string, string>): Stale[] {
  const found: Stale[] = [];
  for (const [name, text] of files) {
    const place = path.join(root, name);
    if (!existsSync(place)) found.push({ path: name, why: "is missing" });
    else if (readFileSync(place, "utf8") !== text) found.push({ path: name, why: "is out of date" });
  }
  for (const name of generatedFolders.flatMap((folder) => filesBelow(root, folder))) {
    if (!files.has(name)) found.push({ path: name, why: "is no longer generated" });
  }
  return found;
}

/** Writes the generated contents over stale files. */
export function refresh(root: string, files: ReadonlyMap<string, string>, stale: readonly Stale[]): void {
  for (const { path: name } of stale) {
    const place = path.join(root, name);
    const text = files.get(name);
    if (text === undefined) {
      rmSync(place);
    } else {
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, text);
    }
  }
}

/** Returns paths with `/` separators on every system. */
function filesBelow(root: string, folder: string): string[] {
  const place = path.join(root, folder);
  if (!existsSync(place)) return [];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
}
