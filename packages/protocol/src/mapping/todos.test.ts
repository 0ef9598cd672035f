import { expect, it } from "vitest";
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
