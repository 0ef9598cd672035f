import { describe, expect, it } from "vitest";
import { actionsOf } from "./gate.ts";
import { withoutOwnShell } from "./own-shell.ts";

const question = { id: "1", action: "patch", detail: "", risk: "medium", runId: "r", interactionId: "i" } as const;

describe("what an agent asks about, as rules see it", () => {
  it("is every file of a patch in Codex's form, and where a file is moved", () => {
    const changes = [
      { path: "/project/a.txt", kind: { type: "add" }, diff: "one\n" },
      { path: "/project/b.txt", kind: { type: "update", move_path: "/project/c.txt" }, diff: "" },
    ];
    const tool = { id: "t", name: "apply_patch", toolKind: "file_write", input: { changes } } as const;
    expect(actionsOf({ ...question, tool }, { agent: "codex", cwd: "/project" })).toEqual([
      {
        ...{ agent: "codex", cwd: "/project", tool: "apply_patch", subject: "write" },
        paths: ["/project/a.txt", "/project/b.txt", "/project/c.txt"],
      },
    ]);
  });

  it("is the command in the shell that Codex puts around it", () => {
    const tool = {
      id: "t",
      name: "exec_command",
      toolKind: "shell",
      input: { command: "/bin/bash -lc 'rm x'" },
    } as const;
    expect(actionsOf({ ...question, tool }, { agent: "codex", cwd: "/p" })).toMatchObject([{ command: "rm x" }]);
    expect(actionsOf({ ...question, tool }, { agent: "claude", cwd: "/p" })).toMatchObject([
      { command: "/bin/bash -lc 'rm x'" },
    ]);
  });

  it.each([
    ["/bin/bash -lc 'touch a.txt'", "touch a.txt"],
    ["bash -c ls", "ls"],
    ["/usr/bin/zsh -lc 'echo '\\''a b'\\'''", "echo 'a b'"],
    [`bash -lc "echo \\"it's\\" \\$HOME"`, `echo "it's" $HOME`],
    ["bash -lc 'a\nb'", "a\nb"],
    // One layer only: the inner shell is the model's.
    [`/bin/bash -lc "bash -lc 'rm x'"`, "bash -lc 'rm x'"],
  ])("takes %j as %j", (line, command) => {
    expect(withoutOwnShell(line, "codex")).toBe(command);
  });

  it.each([
    "bash -lc 'ls' extra",
    'bash -lc "echo $(id)"',
    "bash -lc 'ls'; rm x",
    "bash -lc ls&",
    "bash --rcfile x -c 'ls'",
    "./bash -lc 'ls'",
    "python -c 'ls'",
    "bash -lc 'unclosed",
    "bash -lc 'a'\nrm x",
  ])("leaves %j as it is", (line) => {
    expect(withoutOwnShell(line, "codex")).toBe(line);
  });
});
