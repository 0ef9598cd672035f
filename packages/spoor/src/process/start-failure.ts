import { statSync } from "node:fs";
import path from "node:path";

/** Why a program could not be started, in a sentence that says what to do. Without a cause it was not found. */
export function startFailure(command: string, cwd: string, cause?: NodeJS.ErrnoException): Error {
  const reason =
    cwdProblem(cwd) ??
    (cause === undefined ? notFound(command, cwd) : (REASONS[cause.code ?? ""] ?? `${cause.message}.`));
  return new Error(`Cannot start "${command}": ${reason}`, { cause });
}

function cwdProblem(cwd: string): string | undefined {
  const kind = kindOf(cwd);
  if (kind === "nothing") return `its working directory "${cwd}" does not exist. Create it, or choose another.`;
  if (kind === "hidden") return `its working directory "${cwd}" cannot be reached. Check the rights on the way to it.`;
  if (kind === "file") return `its working directory "${cwd}" is not a directory. Choose another.`;
  return undefined;
}

function notFound(command: string, cwd: string): string {
  if (command === "") return "the command is empty. Name a program.";
  if (path.basename(command) === command) {
    return "no program of this name is on PATH. Install it, or give its full path.";
  }
  const file = path.resolve(cwd, command);
  const kind = kindOf(file);
  if (kind === "nothing") return `there is no file "${file}". Correct the path, or install the program.`;
  if (kind === "hidden") return `"${file}" cannot be reached. Check the rights on the way to it.`;
  if (kind === "folder") return `"${file}" is a directory. Name the program in it.`;
  return `"${file}" is not executable. Allow it with chmod +x, or name another file.`;
}

function kindOf(file: string): "nothing" | "hidden" | "folder" | "file" {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return "nothing";
    return stats.isDirectory() ? "folder" : "file";
  } catch {
    return "hidden";
  }
}

const REASONS: Record<string, string> = {
  ENOENT: "the interpreter its first line names does not exist. Install that, or correct the line.",
  EACCES: "permission was denied. Check the rights of the program, its interpreter and the working directory.",
  E2BIG: "its arguments and environment are too long for the system. Send long texts through standard input.",
  EMFILE: "this process has too many files open. Run fewer at once, or raise the limit (ulimit -n).",
  ENFILE: "the system has too many files open. Run fewer at once.",
  EAGAIN: "the system allows no more processes. Run fewer at once, or raise the limit (ulimit -u).",
  ENOMEM: "there is not enough memory. Run fewer at once.",
};
