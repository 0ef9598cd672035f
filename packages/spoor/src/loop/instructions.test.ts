import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../testing/runtime/task-runtime.ts";
import { readInstructions } from "./instructions.ts";

const read = (root: string) => readInstructions(root, (text) => text);

it("reads the beginning of a long file, and no half of a character", async () => {
  const root = temporaryFolder();
  writeFileSync(path.join(root, "AGENTS.md"), `a${"é".repeat(40_000)}`);
  const [found] = await read(root);
  expect(found?.text).toBe(`a${"é".repeat(32_767)}\n[14465 bytes left out]`);
});

it("reads a link to a file of the workspace once, and neither a pipe nor a link that leads out", async () => {
  const root = temporaryFolder();
  writeFileSync(path.join(root, "AGENTS.md"), "Use tabs.");
  symlinkSync("AGENTS.md", path.join(root, "CLAUDE.md"));
  expect(await read(root)).toEqual([{ name: "AGENTS.md", text: "Use tabs." }]);
  const other = temporaryFolder();
  execFileSync("mkfifo", [path.join(other, "AGENTS.md")]);
  symlinkSync(path.join(root, "AGENTS.md"), path.join(other, "CLAUDE.md"));
  expect(await read(other)).toEqual([]);
});
