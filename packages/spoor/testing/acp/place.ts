import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bin } from "../cli/process.ts";

const worded = fileURLToPath(new URL("programs/worded-claude.mjs", import.meta.url));

/** A private home with a data directory, a project, and `claude` and `spoor` as the only programs besides the system's. */
export function createAcpPlace() {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-acp-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const [programs, cwd, data] = ["bin", "project", "data"].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [programs, cwd]) mkdirSync(folder);
  const program = (name: string, file: string) =>
    writeFileSync(path.join(programs, name), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`, { mode: 0o755 });
  program("claude", worded);
  program("spoor", bin);
  const env = { PATH: `${programs}:/usr/bin:/bin`, HOME: home, SPOOR_HOME: data };
  return { home, cwd, data, env, programs };
}

export type AcpPlace = ReturnType<typeof createAcpPlace>;
