import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completed, expectCount, expectEvent, expectTurns, said } from "./expectations.ts";
import { answer, type Scenario, text } from "./scenario.ts";

const notesServer = {
  name: "notes",
  command: process.execPath,
  args: [join(import.meta.dirname, "../notes-server.ts")],
};

export const tools: readonly Scenario[] = [
  {
    name: "shell",
    approve: "auto",
    script: (tools) => [answer(text("I run it."), tools.shell("echo out; echo more")), answer(text("It ran."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectEvent(outcome, "shell_exit", ({ exitCode }) => exitCode === 0, "a command that exits with 0"),
      ...expectEvent(outcome, "shell_stdout_delta", ({ delta }) => delta.includes("out"), "the command's output"),
      ...expectTurns(outcome, 2),
    ],
  },
  {
    name: "shell that fails",
    approve: "auto",
    script: (tools) => [answer(tools.shell("echo broken; exit 3")), answer(text("It failed."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectEvent(outcome, "shell_exit", ({ exitCode }) => exitCode === 3, "a command that exits with 3"),
    ],
  },
  {
    name: "new file",
    approve: "auto",
    script: (tools, cwd) => [answer(tools.create(join(cwd, "new.txt"), "one\ntwo")), answer(text("Written."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...(existsSync(join(outcome.cwd, "new.txt")) ? [] : ["The file was not written."]),
      ...(outcome.events.some(({ type }) => ["file_create", "file_write", "file_patch"].includes(type))
        ? []
        : ["No file event tells of the new file."]),
    ],
  },
  {
    name: "file read",
    approve: "auto",
    before: (cwd) => writeFileSync(join(cwd, "note.txt"), "remember the milk\n"),
    script: (tools, cwd) => [answer(tools.read(join(cwd, "note.txt"))), answer(text("Milk."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...(JSON.stringify(outcome.events).includes("remember the milk") ? [] : ["What was read is in no event."]),
    ],
  },
  {
    name: "two calls at once",
    approve: "auto",
    script: (tools) => [answer(tools.shell("echo first"), tools.shell("echo second")), answer(text("Both ran."))],
    problems: (outcome) => [...completed(outcome), ...expectCount(outcome, "tool_result", 2)],
  },
  {
    name: "MCP tool",
    options: { mcpServers: [notesServer] },
    needs: "mcp",
    script: (tools) => [
      answer(...(tools.mcp ? [tools.mcp("recall", { key: "milk" })] : [])),
      answer(...(tools.mcp ? [tools.mcp("fail", {})] : [])),
      answer(text("Done.")),
    ],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectEvent(outcome, "mcp_tool_result", ({ server }) => server === "notes", "a result of the MCP tool"),
      ...expectEvent(outcome, "mcp_tool_error", ({ error }) => error.includes("broken"), "the MCP tool's own error"),
    ],
  },
  {
    name: "file edited",
    approve: "auto",
    before: (cwd) => writeFileSync(join(cwd, "list.txt"), "one\ntwo\nthree\n"),
    // Some agents edit only files that they have read.
    script: (tools, cwd) => [
      answer(tools.read(join(cwd, "list.txt"))),
      answer(tools.edit(join(cwd, "list.txt"), "two", "2")),
      answer(text("Edited.")),
    ],
    problems: (outcome) => [
      ...completed(outcome),
      ...(readFileSync(join(outcome.cwd, "list.txt"), "utf8") === "one\n2\nthree\n"
        ? []
        : ["The file was not edited."]),
      ...expectEvent(
        outcome,
        "file_patch",
        ({ path, diff }) => path.endsWith("list.txt") && /^-two$/m.test(diff) && /^\+2$/m.test(diff),
        "a file_patch with the change",
      ),
    ],
  },
  {
    name: "file written over",
    approve: "auto",
    before: (cwd) => writeFileSync(join(cwd, "old.txt"), "old\n"),
    script: (tools, cwd) => [
      answer(tools.read(join(cwd, "old.txt"))),
      answer(tools.overwrite(join(cwd, "old.txt"), "old", "new")),
      answer(text("Written.")),
    ],
    problems: (outcome) => [
      ...completed(outcome),
      ...(readFileSync(join(outcome.cwd, "old.txt"), "utf8").startsWith("new") ? [] : ["The file was not written."]),
      ...(outcome.events.some(({ type }) => type === "file_write" || type === "file_patch")
        ? []
        : ["No file event tells of the change."]),
      ...expectCount(outcome, "file_create", 0),
    ],
  },
  {
    name: "plan",
    approve: "auto",
    needs: "plan",
    script: (tools) => [answer(...(tools.plan?.(["Read the code", "Fix the bug"]) ?? [])), answer(text("Planned."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...["Read the code", "Fix the bug"].flatMap((step) =>
        expectEvent(
          outcome,
          "tool_call_ready",
          ({ toolKind, input }) => toolKind === "todo_write" && JSON.stringify(input).includes(step),
          `a plan with the step "${step}"`,
        ),
      ),
    ],
  },
  {
    name: "subagent",
    approve: "auto",
    needs: "subagent",
    script: (tools) => tools.subagent?.("SUBTASK: look around.", tools.shell("echo from below")) ?? [],
    problems: (outcome) => {
      const spawn = outcome.events.find((event) => event.type === "subagent_spawn");
      const child = outcome.events.filter(({ runId }) => runId === spawn?.childRunId);
      return [
        ...completed(outcome),
        ...said(outcome, "All is told."),
        ...expectEvent(outcome, "subagent_spawn", ({ prompt }) => prompt.includes("SUBTASK"), "a spawn with its task"),
        ...expectEvent(outcome, "subagent_result", ({ summary }) => summary.includes("Nothing below."), "its report"),
        ...(child.some(({ type }) => type === "shell_exit") ? [] : ["What it did is not told as a run of its own."]),
      ];
    },
  },
];
