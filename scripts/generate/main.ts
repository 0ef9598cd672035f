import { parseArgs } from "node:util";
import { refresh, staleFiles } from "./disk.ts";
import { generatedFiles } from "./generated-files.ts";
import { release } from "./release.ts";

export interface Output {
  log(line: string): void;
  error(line: string): void;
}

/** Generates the files of the repository at `root` and returns the exit code. */
export function main(args: string[], root: string, output: Output): number {
  const { values } = parseArgs({ args, options: { check: { type: "boolean" }, release: { type: "boolean" } } });
  if (values.release) {
    const breakages = release(root);
    for (const { message } of breakages) output.error(message);
    return breakages.length === 0 ? 0 : 1;
  }
  const files = generatedFiles();
  const stale = staleFiles(root, files);
  if (values.check) {
    for (const { path, why } of stale) output.error(`${path} ${why}.`);
    if (stale.length > 0) output.error("Run `npm run generate` and commit what it writes.");
    return stale.length === 0 ? 0 : 1;
  }
  refresh(root, files, stale);
  for (const { path } of stale) output.log(path);
  return 0;
}
