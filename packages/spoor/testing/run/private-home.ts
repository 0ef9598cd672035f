import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Creates a temporary home folder with these files, removed after the test. */
export function privateHome(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const home = mkdtempSync(path.join(tmpdir(), "spoor-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cwd = path.join(home, "project");
  mkdirSync(cwd);
  const at = (name: string) => path.join(home, name);
  const write = (name: string, content: string | Uint8Array, mode = 0o600) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content, { mode });
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { home, cwd, env: { HOME: home }, at, write, read: (name: string) => readFileSync(at(name), "utf8") };
}
