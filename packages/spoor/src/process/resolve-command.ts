import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { batchCommandLine } from "./batch-command-line.ts";
import { type Environment, readVariable } from "./environment.ts";

/** An executable file, and whether only `cmd.exe` can run it. */
export interface ResolvedCommand {
  path: string;
  isBatch: boolean;
}

export interface ResolveOptions {
  /** The folder that a relative path is resolved against. */
  cwd?: string | undefined;
  isExecutable?: ((file: string) => boolean) | undefined;
}

/**
 * Finds a program by its name on PATH or by a path. Relative entries of PATH are ignored, so that a file in the working
 * directory, which may come from anyone, cannot replace a program.
 */
export function resolveCommand(
  command: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  { cwd = process.cwd(), isExecutable = isExecutableFile }: ResolveOptions = {},
): ResolvedCommand | undefined {
  const { isAbsolute, join, resolve, delimiter, extname } = platform === "win32" ? path.win32 : path.posix;
  if (command === "") return undefined;
  const files = (platform === "win32" ? /[\\/:]/ : /\//).test(command)
    ? [resolve(cwd, command)]
    : (readVariable(env, "PATH", platform) ?? "")
        .split(delimiter)
        .map((folder) => (platform === "win32" ? folder.replaceAll('"', "") : folder))
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, command));

  const candidates = platform === "win32" ? files.flatMap((file) => withExtensions(file, env)) : files;
  const found = candidates.find(isExecutable);
  if (found === undefined) return undefined;
  return { path: found, isBatch: platform === "win32" && BATCH.includes(extname(found).toLowerCase()) };
}

/** Returns the file and arguments for `spawn`. `verbatim` arguments must be passed without further quoting. */
export function commandLine(
  { path: file, isBatch }: ResolvedCommand,
  args: readonly string[],
  env: Environment,
): { file: string; args: readonly string[]; verbatim: boolean } {
  if (!isBatch) return { file, args, verbatim: false };
  const root = readVariable(env, "SystemRoot", "win32");
  return {
    file: root === undefined ? "cmd.exe" : path.win32.join(root, "System32", "cmd.exe"),
    args: batchCommandLine(file, args),
    verbatim: true,
  };
}

/** Windows runs a file by its extension: its own if it is a runnable one, otherwise each extension that PATHEXT lists. */
function withExtensions(file: string, env: Environment): string[] {
  if (RUNNABLE.includes(path.win32.extname(file).toLowerCase())) return [file];
  const listed = (readVariable(env, "PATHEXT", "win32") ?? RUNNABLE.join(";")).toLowerCase().split(";");
  return listed.filter((extension) => RUNNABLE.includes(extension)).map((extension) => file + extension);
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

const BATCH = [".bat", ".cmd"];
const RUNNABLE = [".com", ".exe", ...BATCH];
