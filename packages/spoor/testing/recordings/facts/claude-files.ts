import type { FileFact } from "./facts.ts";
import type { Value } from "./frames.ts";
import type { ToolFact } from "./tool-facts.ts";

/** The structured result that Claude Code adds to a tool's result. */
export function filesOf(out: readonly Value[], tools: readonly ToolFact[]): FileFact[] {
  const lines = (hunks: Value) =>
    hunks.list
      .flatMap((hunk) => hunk.at("lines").list.map((line) => line.text ?? ""))
      .filter((one) => /^[+-]/.test(one));
  return out.flatMap((frame): FileFact[] => {
    const result = frame.at("tool_use_result");
    const path = result.at("filePath").text;
    const call = tools.find(({ id }) => id === frame.at("message", "content", 0, "tool_use_id").text);
    if (call?.name === "Read" && !call.failed) {
      return [{ op: "read", path: String((call.input as { file_path?: string }).file_path) }];
    }
    if (path && result.at("oldString").exists)
      return [{ op: "patch", path, lines: lines(result.at("structuredPatch")) }];
    if (path && result.at("type").is("create")) return [{ op: "create", path }];
    if (path && result.at("type").is("update")) return [{ op: "write", path }];
    return result.at("bashEditDiff", "files").list.map((file): FileFact => {
      const changed = file.at("filePath").text ?? "";
      return file.at("deleted").raw === true
        ? { op: "delete", path: changed }
        : { op: "patch", path: changed, lines: lines(file.at("hunks")) };
    });
  });
}

/** Qwen Code adds no structured result: the input names the file, and the text says whether it is new. */
export function changeOf({ name, input, result, failed }: ToolFact): FileFact[] {
  const { file_path: path } = (input ?? {}) as { file_path?: string };
  if (failed !== false || path === undefined) return [];
  if (name === "edit") return [{ op: "patch", path }];
  if (name === "write_file") return [{ op: /new file/.test(result ?? "") ? "create" : "write", path }];
  return [];
}
