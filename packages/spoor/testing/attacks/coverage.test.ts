import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The attacks on workspace trust, rules for commands, files and the sandbox, and by hostile texts, with what each is about. */
const attacks = {
  B1: "settings, hooks, servers and variables that a repository ships",
  B2: "trust of another folder taken for trust of this one",
  B3: "settings files that do not exist yet",
  B4: "MCP servers and tools that change after they were approved",
  C1: "commands that hide a blocked one",
  C2: "a mode that approves everything",
  C3: "a working directory outside the workspace",
  C4: "an approval that shows something else than what runs",
  D1: "links in the workspace",
  D2: "patches with targets that are not files of the workspace",
  D3: "temporary files with names that can be guessed",
  D4: "git configuration that executes programs, and hooks and configuration that a run changes",
  E1: "files outside the workspace, and secrets in files",
  E2: "the network, sockets, this machine and metadata services",
  E3: "hosts in odd forms, and hosts that stand for all others",
  E4: "an empty list of hosts taken for all hosts",
  E5: "other processes, their environment, the kernel, and limits",
  E6: "a sandbox that does not work",
  I1: "texts that tell the model what to do",
} as const;

it.each(Object.entries(attacks))("attack %s, %s, is in the title of a test", (id) => {
  const title = new RegExp(`\\(${id}\\)"|"${id}: `);
  const found = testFiles().filter((file) => title.test(readFileSync(file, "utf8")));
  expect(found.map((file) => path.relative(root, file))).not.toEqual([]);
});

function testFiles(): string[] {
  return ["src", "testing"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts") && !name.endsWith("coverage.test.ts"))
      .map((name) => path.join(root, folder, name)),
  );
}
