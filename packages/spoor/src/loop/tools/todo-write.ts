import { Type } from "@sinclair/typebox";
import { defineTool, inputOf } from "./kit/define-tool.ts";

const MAX_TODOS = 100;
const statuses = ["pending", "in_progress", "completed", "cancelled"] as const;

/** Keeps the list of what the model still wants to do. */
export const todoWrite = defineTool({
  name: "todo_write",
  kind: "todo_write",
  // It changes nothing but a list that only the events hold.
  effect: "read",
  description:
    "Replaces the to-do list that people see beside the conversation. Give the whole list each time. Use it for work of several steps, and keep one item in progress.",
  about: {
    does: "replaces the to-do list of the run",
    limits: `${MAX_TODOS} items of 1,000 characters`,
    rules: "none: it changes nothing outside the run",
  },
  input: inputOf({
    todos: Type.Array(
      inputOf({
        content: Type.String({ minLength: 1, maxLength: 1_000, description: "What to do." }),
        status: Type.Union(
          statuses.map((status) => Type.Literal(status)),
          { description: "pending, in_progress, completed or cancelled." },
        ),
      }),
      { maxItems: MAX_TODOS, description: "The whole list, in its order." },
    ),
  }),
  actions: () => [],
  async run({ todos }) {
    const marks = { pending: "[ ]", in_progress: "[>]", completed: "[x]", cancelled: "[-]" };
    const lines = todos.map(({ content, status }) => `${marks[status]} ${content.replaceAll(/\s+/g, " ")}`);
    const done = todos.filter(({ status }) => status === "completed").length;
    return {
      output: lines.length === 0 ? "The list is empty." : lines.join("\n"),
      summary: `${todos.length} to-dos, ${done} done`,
    };
  },
});
