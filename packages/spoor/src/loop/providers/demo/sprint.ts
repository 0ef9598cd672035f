import type { DemoScript } from "./script.ts";

const text = Array.from({ length: 40 }, (_, index) => `word-${index}`).join(" ");

/** A few turns as fast as possible, for measurements. */
export const sprint: DemoScript = {
  title: "a few turns as fast as possible, for measurements",
  pace: 0,
  turns: [
    ...Array.from({ length: 4 }, (_, index) => ({
      text,
      calls: [{ tool: "todo_write", input: { todos: [{ content: `Step ${index}`, status: "completed" }] } }],
    })),
    { text },
  ],
};
