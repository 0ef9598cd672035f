import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export { type Change, type PatchedRun, patchedRun } from "./patched-run.ts";

/** A folder that is removed after the test. */
export function temporaryFolder(name = "workspace"): string {
  const folder = mkdtempSync(path.join(tmpdir(), `spoor-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files of a workspace. */
export function writeFiles(root: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
}
