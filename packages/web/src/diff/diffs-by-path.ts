import { parseDiff } from "./parse-diff.ts";

/** Cuts a diff of many files into one for each path. A file that was changed from outside in between has several parts. */
export function diffsByPath(diff: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const part of diff.split(/^(?=diff --git )/m)) {
    const path = parseDiff(part)[0]?.path;
    if (path) files.set(path, (files.get(path) ?? "") + part);
  }
  return files;
}
