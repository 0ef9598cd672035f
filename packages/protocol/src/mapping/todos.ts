import type { EnvelopeData } from "../envelope/catalog.ts";
import type { Data } from "./conversion.ts";

export type Todo = EnvelopeData<"tool.todo_write.updated">["todos"][number];

/** The field names that agents use for the list, the text of an item and its status. */
const listNames = ["todos", "plan", "items", "tasks", "entries"];
const textNames = ["content", "text", "step", "title", "label", "description", "task"];
const statusWords: Record<string, Todo["status"]> = {
  pending: "pending",
  todo: "pending",
  not_started: "pending",
  open: "pending",
  in_progress: "in_progress",
  inprogress: "in_progress",
  active: "in_progress",
  doing: "in_progress",
  completed: "completed",
  complete: "completed",
  done: "completed",
  cancelled: "cancelled",
  canceled: "cancelled",
  failed: "cancelled",
  abandoned: "cancelled",
};

/** The todo list in a tool's input, or undefined. An item of unknown status is pending. */
export function todosOf(input: Data): Todo[] | undefined {
  const list = listNames.map((name) => input[name]).find(Array.isArray);
  return list?.flatMap((item: unknown): Todo[] => {
    if (typeof item === "string") return [{ content: item, status: "pending" }];
    if (typeof item !== "object" || item === null) return [];
    const fields = item as Data;
    const content = textNames.map((name) => fields[name]).find((value) => typeof value === "string");
    return content === undefined ? [] : [{ content: content as string, status: statusOf(fields) }];
  });
}

export function statusOf({ status, completed, done }: Data): Todo["status"] {
  if (typeof status === "string") return statusWords[status.toLowerCase().replaceAll("-", "_")] ?? "pending";
  return completed === true || done === true ? "completed" : "pending";
}
