import { editDiffs } from "../../dialects/pi/results/edit-diff.ts";
import { fileFactsOfCall } from "../../kit/file-facts.ts";
import { asText, type Json } from "../../kit/json-values.ts";
import { type Tool, toolByName, toolKindsByName } from "../../kit/tool-calls.ts";
import type { FileFact } from "../../signal.ts";
import { patchedFiles } from "./openclaw-patch.ts";

/** What it cannot be seen to do to files, commands, the web or other agents is `other`. */
export const toolKinds = toolKindsByName({
  edit: ["apply_patch", "edit"],
  file_read: ["read", "view_image"],
  file_write: ["write"],
  glob: ["find", "ls"],
  grep: ["grep"],
  shell: ["exec", "process", "terminal"],
  subagent: ["agents_wait", "sessions_spawn", "sessions_yield", "subagents"],
  todo_write: ["update_plan"],
  web_fetch: ["web_fetch"],
  web_search: ["web_search"],
});

/** Tools of MCP servers are named after both; none of its own has two underscores. */
export const toolOf = (name: string): Tool => toolByName(name, toolKinds, /^(?<server>.+?)__(?<tool>.+)$/);

/** What a call says that was refused, by someone or by the settings. */
export const isDenial = (words: string): boolean => /^Exec denied\b/.test(words);

/** What a call that succeeded did to files. */
export function filesOf({ name, toolKind }: Tool, input: Json, details: Json): FileFact[] {
  if (name === "apply_patch") return patchedFiles(asText(input.input) ?? "");
  const diffs = (path: string) => editDiffs(path, details);
  return fileFactsOfCall(toolKind, asText(input.path), {
    content: input.content,
    isNew: details.created === true,
    diffs,
  });
}
