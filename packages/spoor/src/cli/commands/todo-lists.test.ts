import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { createPlace } from "../../../testing/cli/process.ts";

const place = createPlace("todo-lists");
afterAll(() => place.remove());

const path = (relative: string) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const recording = path("fixtures/claude/2.1.325/j2-tasks.jsonl");
const command = `"${process.execPath}" "${path("testing/cli/programs/print-file.mjs")}" "${recording}" Infinity 0`;

it("a run of Claude Code has the to-do list that the agent keeps task by task", async () => {
  await place.spoor(["run", "claude", "Plan it.", "--approve", "auto", "--command", command]);
  const { stdout } = await place.spoor(["events", "last", "--type", "tool.todo_write.updated", "--json"]);
  const lists = stdout.trim().split("\n");
  expect(lists.map((line) => JSON.parse(line).data.todos)).toEqual([
    [{ content: "Read code", status: "pending" }],
    [{ content: "Read code", status: "in_progress" }],
    [{ content: "Read code", status: "completed" }],
  ]);
}, 60_000);
