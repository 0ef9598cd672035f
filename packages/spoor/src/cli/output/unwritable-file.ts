import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { terminalSafe } from "./terminal-safe.ts";

/** Returns why a file cannot be written and what to do about it; undefined if it seems to be writable. */
export function unwritableReason(file: string): string | undefined {
  if (file === "") return "its name is empty. Name a file.";
  const folder = path.dirname(path.resolve(file));
  const kind = kindOf(file);
  if (kind === "folder") return "it is a directory. Name a file.";
  if (kind === "file")
    return isWritable(file) ? undefined : "it is not writable. Change its permissions, or name another file.";
  if (kindOf(folder) !== "folder")
    return `there is no directory ${terminalSafe(folder)}. Create it, or name another file.`;
  return isWritable(folder) ? undefined : `the directory ${terminalSafe(folder)} is not writable. Name another file.`;
}

function kindOf(place: string): "nothing" | "folder" | "file" {
  try {
    return statSync(place).isDirectory() ? "folder" : "file";
  } catch {
    return "nothing";
  }
}

function isWritable(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
