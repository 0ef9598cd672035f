import { statSync } from "node:fs";
import path from "node:path";

/** Makes the error for a program that could not be started: the reason and what to do. No cause means that it was not found. */
export function startFailure(command: string, cwd: string, cause?: NodeJS.ErrnoException): Error {
  const reason =
    cwdProblem(cwd) ??
    (cause === undefined ? notFound(command, cwd) : (REASONS[cause.code ?? ""] ?? `${cause.message}.`));
  return new Error(`Cannot start "${command}": ${reason}`, { cause });
}

function cwdProblem(cwd: string): string | undefined {
  const kind = kindOf(cwd);
  if (kind === "nothing") return `its working directory "${cwd}" does not exist. Create it, or choose another.`;
  if (kind === "hidden")
    return `its working directory "${cwd}" cannot be read. Check the permissions of the folders on its path.`;
  if (kind === "file") return `its working directory "${cwd}" is not a directory. Choose another.`;
  return undefined;
}

function notFound(command: string, cwd: string): string {
  if (command === "") return "the command is empty. Give the name of a program.";
  if (path.basename(command) === command) {
    return "no program of this name is on PATH. Install it, or give its full path.";
  }
  const file = path.resolve(cwd, command);
  const kind = kindOf(file);
  if (kind === "nothing") return `there is no file "${file}". Correct the path, or install the program.`;
  if (kind === "hidden") return `"${file}" cannot be read. Check the permissions of the folders on its path.`;
  if (kind === "folder") return `"${file}" is a directory. Give the path of a program.`;
  return `"${file}" is not executable. Make it executable with chmod +x, or give another file.`;
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
  ENOENT: "the interpreter named in its first line does not exist. Install the interpreter, or correct the line.",
  EACCES: "permission was denied. Check the permissions of the program, its interpreter and the working directory.",
  E2BIG: "its arguments and environment are too long for the system. Send long texts through standard input.",
  EMFILE: "this process has too many files open. Run fewer agents at once, or raise the limit (ulimit -n).",
  ENFILE: "the system has too many files open. Run fewer agents at once.",
  EAGAIN: "the system allows no more processes. Run fewer agents at once, or raise the limit (ulimit -u).",
  ENOMEM: "there is not enough memory. Run fewer agents at once.",
};
