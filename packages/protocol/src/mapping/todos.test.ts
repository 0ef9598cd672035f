import { expect, it } from "vitest";
import { changeTodo, type TodoItems } from "./todo-items.ts";
import { todosOf } from "./todos.ts";

it.each([
  [
    { todos: [{ content: "a", status: "in_progress", activeForm: "doing a" }] },
    [{ content: "a", status: "in_progress" }],
  ],
  [
    {
      plan: [
        { step: "a", status: "inProgress" },
        { step: "b", status: "completed" },
      ],
    },
    [
      { content: "a", status: "in_progress" },
      { content: "b", status: "completed" },
    ],
  ],
  [
    { items: [{ text: "a", completed: true }, "b"] },
    [
      { content: "a", status: "completed" },
      { content: "b", status: "pending" },
    ],
  ],
  [
    { entries: [{ content: "a", status: "who knows", priority: "high" }, 7, null, {}] },
    [{ content: "a", status: "pending" }],
  ],
  [{ todos: [] }, []],
  [{ todo: "a" }, undefined],
])("reads the list in %j", (input, todos) => {
  expect(todosOf(input)).toEqual(todos);
});

it("keeps a list that is told one by one", () => {
  const items: TodoItems = new Map();
  const created = (id: string, subject: string) => changeTodo(items, { subject }, `Task #${id} created: ${subject}`);
  const changed = (input: object) => changeTodo(items, { ...input }, "Updated task");
  expect(created("1", "read")).toEqual([{ content: "read", status: "pending" }]);
  created("2", "write #7");
  expect(changed({ taskId: "1", status: "completed" })).toEqual([
    { content: "read", status: "completed" },
    { content: "write #7", status: "pending" },
  ]);
  expect(changed({ taskId: 2, subject: "write it" })?.at(1)).toEqual({ content: "write it", status: "pending" });
  expect(changed({ taskId: "1", status: "deleted" })).toHaveLength(1);
  // Another run added it, so nobody knows what it says.
  expect(changed({ taskId: "9", status: "completed" })).toHaveLength(1);
  expect(changed({ query: "insert into todos" })).toBeUndefined();
  expect(changed({ taskId: {} })).toBeUndefined();
});
