import { Count, Flag, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

const search = {
  tool_call_id: Key("The call."),
  pattern: Text("What was searched for."),
  match_count: optional(Count("Matches, those left out included.")),
  truncated: optional(Flag("Whether some are left out.")),
};

export const searchDefinitions = [
  dotted("tool.glob.completed", "experimental", "Files were searched by name.", {
    ...search,
    matches: optional(Type.Array(Type.String(), { description: "The paths." })),
  }),
  dotted("tool.grep.completed", "experimental", "Files were searched by content.", {
    ...search,
    files_searched: optional(Count("Files looked at.")),
    matches: optional(
      Type.Array(Type.Object({ path: Key("File."), line: Count("Line."), text: Text("The line's text.") }), {
        description: "The matching lines.",
      }),
    ),
  }),
  dotted("tool.todo_write.updated", "experimental", "The agent's list of things to do; replaces the last one whole.", {
    tool_call_id: optional(Key("The call.")),
    todos: Type.Array(
      Type.Object({
        content: Text("What to do."),
        status: oneOf(["pending", "in_progress", "completed", "cancelled"], "How far it is."),
      }),
      { description: "The whole list." },
    ),
  }),
] as const;
