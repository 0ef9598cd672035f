import { changedLines, type FileFact } from "./facts.ts";
import type { Value } from "./frames.ts";
import { type ToolFact, wordsOf } from "./tool-facts.ts";

/** Both dialects of Codex report items, one in snake_case and one in camelCase. This reads both. */
export function callOf(item: Value): ToolFact | undefined {
  const id = item.at("id").text ?? "";
  const status = item.at("status");
  const isOver = status.exists && !status.is("in_progress", "inProgress");
  const failed = isOver ? { failed: status.is("failed", "declined") } : {};
  switch (kindOf(item)) {
    case "commandexecution": {
      const output = item.at("aggregated_output").text ?? item.at("aggregatedOutput").text;
      const exitCode = item.at("exit_code").number ?? item.at("exitCode").number;
      return {
        id,
        input: { command: item.at("command").raw },
        ...failed,
        ...(isOver && output && !failed.failed && { result: output.trim() }),
        ...(exitCode !== undefined && { exitCode }),
      };
    }
    case "filechange":
      return { id, ...failed };
    case "mcptoolcall": {
      const result = wordsOf(item.at("error", "message").raw ?? item.at("result", "content").raw);
      return {
        id,
        name: `${item.at("server").text}/${item.at("tool").text}`,
        input: item.at("arguments").raw,
        ...failed,
        ...(isOver && result !== undefined && { result }),
      };
    }
    case "websearch":
    case "imageview":
    case "collabagenttoolcall":
    case "collabtoolcall":
    case "dynamictoolcall":
      return { id };
    default:
      return undefined;
  }
}

export function changesOf(item: Value): FileFact[] {
  if (kindOf(item) !== "filechange" || !item.at("status").is("completed")) return [];
  return item.at("changes").list.flatMap((change): FileFact[] => {
    const kind = change.at("kind").text ?? change.at("kind", "type").text;
    const path = change.at("path").text ?? "";
    const moved = change.at("kind", "move_path").text;
    if (kind === "add") return [{ op: "create", path }];
    if (kind === "delete") return [{ op: "delete", path }];
    const diff = change.at("diff").text;
    const patch: FileFact = { op: "patch", path: moved ?? path, ...(diff && { lines: changedLines(diff) }) };
    return moved ? [patch, { op: "delete", path }] : [patch];
  });
}

/** Whether the item spawns another agent. */
export const isSpawn = (item: Value): boolean =>
  /^collab/.test(kindOf(item)) && item.at("tool").is("spawn_agent", "spawnAgent");

export const kindOf = (item: Value): string => (item.at("type").text ?? "").replaceAll("_", "").toLowerCase();
