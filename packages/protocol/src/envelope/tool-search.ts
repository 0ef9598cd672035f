import { Count, Flag, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

const search = {
  tool_call_id: Key("The call."),
  pattern: Text("What was searched for."),
  match_count: optional(Count("Number of matches, including those left out.")),
  truncated: optional(Flag("Whether some matches are left out.")),
};

export const searchDefinitions = [
  dotted("tool.glob.completed", "experimental", "Files were searched by name.", {
    ...search,
    matches: optional(Type.Array(Type.String(), { description: "The paths." })),
  }),
  dotted("tool.grep.completed", "experimental", "Files were searched by content.", {
    ...search,
    files_searched: optional(Count("Number of files searched.")),
    matches: optional(
      Type.Array(Type.Object({ path: Key("File."), line: Count("Line."), text: Text("The line's text.") }), {
        description: "The matching lines.",
      }),
    ),
  }),
  dotted("tool.todo_write.updated", "experimental", "The agent's to-do list. It replaces the previous list.", {
    tool_call_id: optional(Key("The call.")),
    todos: Type.Array(
      Type.Object({
        content: Text("What to do."),
        status: oneOf(["pending", "in_progress", "completed", "cancelled"], "The status of the item."),
      }),
      { description: "The whole list." },
    ),
  }),
] as const;
