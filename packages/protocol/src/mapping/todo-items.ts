import type { Data } from "./conversion.ts";
import { outputTextOf } from "./output-text.ts";
import { statusOf, type Todo } from "./todos.ts";

/** To-dos that an agent adds and changes one by one, by the ids that the agent gives them. */
export type TodoItems = Map<string, Todo>;

/**
 * Returns the list after a call that adds or changes one to-do, as Claude Code's TaskCreate and TaskUpdate do; undefined if
 * the call does something else. An agent that went on with an older session may change a to-do that this run never saw
 * added: it is in the list only if the call names it.
 */
export function changeTodo(items: TodoItems, input: Data, output: unknown): Todo[] | undefined {
  const { taskId, subject, status } = input;
  const isNew = taskId === undefined && typeof subject === "string";
  if (!isNew && typeof taskId !== "string" && typeof taskId !== "number") return undefined;
  const id = isNew ? (idIn(output) ?? `item ${items.size + 1}`) : String(taskId);
  const content = typeof subject === "string" ? subject : items.get(id)?.content;
  if (status === "deleted") items.delete(id);
  else if (content !== undefined) {
    const before = items.get(id)?.status ?? "pending";
    items.set(id, { content, status: status === undefined ? before : statusOf(input) });
  }
  return [...items.values()];
}

/** The id stands in a result such as "Task #1 created successfully: Read the code". */
const idIn = (output: unknown): string | undefined => /#([\w-]+)/.exec(outputTextOf(output) ?? "")?.[1];
