import type { DemoScript } from "./script.ts";

const text = Array.from({ length: 40 }, (_, index) => `word-${index}`).join(" ");

/** A few turns at the pace of a fast model, for measurements. */
export const sprint: DemoScript = {
  title: "a few turns at the pace of a fast model, for measurements",
  pace: 5,
  turns: [
    ...Array.from({ length: 4 }, (_, index) => ({
      text,
      calls: [{ tool: "todo_write", input: { todos: [{ content: `Step ${index}`, status: "completed" }] } }],
    })),
    { text },
  ],
};
